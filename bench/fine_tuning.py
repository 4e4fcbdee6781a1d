"""Fine-tuning speed beside Hugging Face's Trainer, and what bf16 and frozen layers save.

    .venv/bin/python bench/fine_tuning.py [--cmc dev.xml] [--notes 400] [--epochs 1]

One thread, processor time, after a warm-up; two rounds in which the contestants take turns, the
second in reverse order. All fine-tune the default encoder on the same notes with the same codes,
batch size and number of epochs; ours are tuned on a tenth more notes, whose time counts too:

- `Trainer` with its defaults: padding to the longest note of a batch, no grouping by length, a
  sequence-classification head, 512 tokens at most;
- `transformer` with its defaults, label-wise attention over the tokens of every note;
- `transformer` in bf16 (`precision=bf16`), and with the lower half of the encoder frozen.

Then the fine-tuned model reads notes in 32 bits and in bf16 (`inference_precision`). Without --cmc,
the notes are radiology lines of the synthetic hospital's length. Ends with exit code 1 when our
defaults are slower than the Trainer's.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from auscult.core import Annotation, Code, Note
from auscult.corpus import Corpus, formats
from auscult.corpus.split import split_by_list
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.neural import encoder_source

_PHRASES = (
    "cough and fever for three days", "right lower lobe opacity", "no pleural effusion",
    "mild hydronephrosis of the left kidney", "history of vesicoureteral reflux",
    "normal heart size", "hyperinflated lungs with peribronchial thickening",
    "urinary tract infection, febrile", "no focal consolidation", "status post pyeloplasty",
)  # fmt: skip
_WARM = 32
"""Notes of the warm-up."""


def synthetic(count: int) -> Corpus:
    """Notes of 10 to 120 words, whose codes are some of their phrases."""
    dice = random.Random(0)
    notes, codes = [], []
    for at in range(count):
        chosen = [dice.randrange(len(_PHRASES)) for _ in range(dice.choice((2, 4, 6, 8, 20)))]
        notes.append(Note(f"n{at}", f"c{at}", text=". ".join(_PHRASES[one] for one in chosen)))
        codes += [
            Annotation("gold", Code("toy", str(one)), f"c{at}")
            for one in sorted({one for one in chosen if one % 2})
        ]
    return Corpus.of(notes, codes)


def trainer(corpus: Corpus, labels: list[Code], epochs: int, batch_size: int) -> float:
    """Processor time of `Trainer.train()`, with its defaults."""
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
    )

    name = encoder_source.path_of("minilm")
    tokenizer: Any = AutoTokenizer.from_pretrained(name)
    tokenizer.backend_tokenizer.no_padding()
    model: Any = AutoModelForSequenceClassification.from_pretrained(
        name, num_labels=len(labels), problem_type="multi_label_classification", dtype=torch.float32
    )
    rows = []
    begin = time.process_time()
    for chart in corpus.select(splits=["train"]).charts():
        text = " ".join(note.text or "" for note in chart.notes)
        gold = {annotation.code for annotation in chart.annotations}
        row = tokenizer(text, truncation=True, max_length=512)
        row["labels"] = [float(label in gold) for label in labels]
        rows.append(dict(row))
    with tempfile.TemporaryDirectory() as folder:
        made = TrainingArguments(
            folder, num_train_epochs=epochs, per_device_train_batch_size=batch_size,
            save_strategy="no", report_to="none", disable_tqdm=True, use_cpu=True, seed=0,
            logging_strategy="no",
        )  # fmt: skip
        Trainer(
            model=model, args=made, train_dataset=rows,
            data_collator=DataCollatorWithPadding(tokenizer),
        ).train()  # fmt: skip
    return time.process_time() - begin


def ours(corpus: Corpus, epochs: int, batch_size: int, **settings: Any) -> tuple[float, Model]:
    """Processor time of `fit`, and the model."""
    begin = time.process_time()
    model = fit(
        corpus, "transformer",
        {"epochs": epochs, "batch_size": batch_size, "threads": 1, "charts": "all", **settings},
        dev_split="dev",
    )  # fmt: skip
    return time.process_time() - begin, model


def split(corpus: Corpus, notes: int) -> Corpus:
    """So many notes to train on, and a tenth as many of the others to tune on."""
    charts = corpus.chart_ids()
    held = max(2, min(notes, len(charts)) // 10)
    notes = min(notes, len(charts) - held)
    lists = {"train": charts[:notes], "dev": charts[notes : notes + held]}
    return split_by_list(corpus.select(charts=charts[: notes + held]), lists)


def padding(model: Model, corpus: Corpus) -> tuple[float, float]:
    """The share of padding through the encoder: in our batches, and in the order of arrival."""
    from auscult.learning.batch_order import order

    scorer: Any = model.architecture
    items = [scorer.item(model.text(chart.notes)) for chart in corpus.charts()]
    size = scorer.config.batch_size
    lengths = [len(one.words) for one in items]

    def share(batches: list[list[int]]) -> float:
        slots = used = 0
        for places in batches:
            for group in scorer.collate([items[at] for at in places]).layout.groups:
                slots += group.mask.numel()
                used += int(group.mask.sum())
        return 1 - used / slots

    every = list(range(len(items)))
    arrival = [every[at : at + size] for at in range(0, len(every), size)]
    return share(order(lengths, size, seed=0, epoch=0)), share(arrival)


def inference(model: Model, corpus: Corpus) -> None:
    """32 bits and bf16: time, differences of scores, codes that change."""
    asked = [(chart.notes, list(model.labels.codes)) for chart in corpus.charts()]
    scorer: Any = model.architecture
    scores, times = {}, {}
    for precision in ("32", "bf16", "32", "bf16"):
        scorer.config = scorer.config.model_copy(update={"inference_precision": precision})
        begin = time.process_time()
        scores[precision] = np.array(list(model.scores(asked)))
        times[precision] = time.process_time() - begin
    threshold = model.decoding.code_threshold
    apart = np.abs(scores["32"] - scores["bf16"]).max()
    changed = ((scores["32"] >= threshold) != (scores["bf16"] >= threshold)).sum()
    print(
        f"inference on {len(asked):,} notes: bf16 {times['32'] / times['bf16']:.2f}× as fast as 32 "
        f"bits; largest difference of a score {apart:.4f}; {changed} of "
        f"{(scores['32'] >= threshold).sum():,} codes given change (threshold {threshold:.3f})"
    )


def main() -> int:
    """Run all of them and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmc", type=Path)
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=8)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if given.cmc:
        every = formats.read("cmc", given.cmc).select(annotators=["CMC_MAJORITY"])
    else:
        every = synthetic(given.notes + max(2, given.notes // 10))
    corpus = split(every, given.notes)
    training = corpus.select(splits=["train"])
    count = len(training.chart_ids())
    labels = sorted({one.code for one in training.iter_annotations()}, key=str)
    variants: dict[str, dict[str, Any]] = {
        "auscult": {},
        "auscult, freeze_layers=3": {"freeze_layers": 3},
        "auscult, precision=bf16": {"precision": "bf16"},
        "auscult, both": {"precision": "bf16", "freeze_layers": 3},
    }
    names = ["Trainer", *variants]
    times = dict.fromkeys(names, 0.0)
    models: dict[str, Model] = {}

    def take(name: str, some: Corpus) -> float:
        if name == "Trainer":
            return trainer(some, labels, given.epochs, given.batch_size)
        seconds, models[name] = ours(some, given.epochs, given.batch_size, **variants[name])
        return seconds

    few = split(every, _WARM)
    for name in names:
        take(name, few)
    for order in (names, names[::-1]):
        for name in order:
            times[name] += take(name, corpus)
    print(f"{count:,} notes, {len(labels)} codes, {given.epochs} epochs of batches of "
          f"{given.batch_size}, two rounds; processor time, one thread")  # fmt: skip
    for name, seconds in times.items():
        rate = 2 * count * given.epochs / seconds
        ratio = times["Trainer"] / seconds
        print(f"  {name:28} {seconds:8.1f} s  {rate:8.2f} notes/s  {ratio:5.2f}×")
    grouped, arrival = padding(models["auscult"], training)
    print(f"padding through the encoder: {grouped:.1%} of all tokens, {arrival:.1%} in the order "
          "of arrival")  # fmt: skip
    inference(models["auscult"], corpus)
    return 0 if times["auscult"] <= times["Trainer"] else 1


if __name__ == "__main__":
    sys.exit(main())
