"""What MedCAT finds in notes, for entities.py: runs in an environment of MedCAT's own.

    pip install medcat==2.9.* && python bench/medcat_peer.py FOLDER

FOLDER has `names.csv` (cui, name, name_status), `train.json` (marked notes, as MedCATtrainer writes
them) and `notes.jsonl` (note_id, text, and the group it is timed with). A CDB is made of the names.
There is no model pack: word vectors are learned from the training notes (pointwise mutual
information, projected), and MedCAT learns its contexts from the same notes, first without and then
with their marks. What it finds goes to `found.jsonl`, as `auscult external medcat` reads it, and
the notes a second of processor time to `took.json`.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from medcat.cat import CAT  # type: ignore[import-not-found]  # installed apart
from medcat.config import Config  # type: ignore[import-not-found]  # installed apart
from medcat.model_creation.cdb_maker import (  # type: ignore[import-not-found]  # installed apart
    CDBMaker,
)
from medcat.vocab import Vocab  # type: ignore[import-not-found]  # installed apart

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.memory import peak_megabytes

_WORD = re.compile(r"[^\W_]+")
_SIZE = 100
_NEAR = 5
_FEWEST = 2


def main() -> None:
    """Learn, read the notes, and write what was found."""
    folder = Path(sys.argv[1])
    train = json.loads((folder / "train.json").read_text("utf-8"))
    texts = [one["text"] for project in train["projects"] for one in project["documents"]]
    config = Config()
    config.general.log_level = logging.ERROR
    logging.disable(logging.WARNING)
    begun = time.process_time()
    cdb = CDBMaker(config).prepare_csvs([str(folder / "names.csv")])
    cat = CAT(cdb=cdb, vocab=_vocab(texts), config=config)
    cat.trainer.train_unsupervised(texts)
    cat.trainer.train_supervised_raw(train, disable_progress=True)
    learned = time.process_time() - begun
    notes = [json.loads(line) for line in (folder / "notes.jsonl").open(encoding="utf-8")]
    found = []
    counts: Counter[str] = Counter()
    seconds: dict[str, float] = {}
    for note in notes:
        begun = time.process_time()
        found.append({"note_id": note["note_id"], **_entities(cat, note["text"])})
        took_so_far = seconds.get(note["group"], 0.0)
        seconds[note["group"]] = took_so_far + time.process_time() - begun
        counts[note["group"]] += 1
    with (folder / "found.jsonl").open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(one) + "\n" for one in found)
    took = {
        "learning": learned,
        "a_second": {group: count / seconds[group] for group, count in counts.items()},
        "megabytes": peak_megabytes(),
    }
    (folder / "took.json").write_text(json.dumps(took), encoding="utf-8")


def _entities(cat: Any, text: str) -> dict[str, Any]:
    wanted = ("start", "end", "cui", "acc", "source_value")
    held = cat.get_entities(text)["entities"].values()
    return {"entities": [{name: one[name] for name in wanted if name in one} for one in held]}


def _vocab(texts: list[str]) -> Any:
    """Words, how often they come, and a vector of each."""
    said = [[word.lower() for word in _WORD.findall(text)] for text in texts]
    counts = Counter(word for words in said for word in words)
    words = [word for word, count in counts.items() if count >= _FEWEST]
    at = {word: number for number, word in enumerate(words)}
    together = np.zeros((len(words), len(words)), np.float32)
    for one in said:
        numbers = [at[word] for word in one if word in at]
        for place, number in enumerate(numbers):
            for other in numbers[max(0, place - _NEAR) : place]:
                together[number, other] += 1
                together[other, number] += 1
    each = together.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shared = np.log(together * each.sum() / np.outer(each, each))
    shared = np.where(np.isfinite(shared), np.maximum(shared, 0), 0)
    thrown = np.random.default_rng(0).standard_normal((len(words), _SIZE)).astype(np.float32)
    vectors = shared @ thrown
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    made = Vocab()
    for word, vector in zip(words, vectors, strict=True):
        made.add_word(word, cnt=counts[word], vec=vector)
    made.init_cumsums()
    return made


if __name__ == "__main__":
    main()
