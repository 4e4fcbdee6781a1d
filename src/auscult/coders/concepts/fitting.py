"""Making a coder of concepts from a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auscult.coders import span_coder as kind_of
from auscult.coders.about import Source, chart_digest
from auscult.coders.categories import Categories
from auscult.coders.choosing import chosen_charts, require_categories, warn_of_left_out
from auscult.coders.concepts.coder import ConceptCoder, SpanAbout, VocabularyUsed
from auscult.coders.concepts.knowledge import all_codes
from auscult.coders.concepts.marks import marked
from auscult.coders.stored import check_target
from auscult.codes.vocabulary import Vocabulary
from auscult.core import AuscultError, OptionError
from auscult.core.version import __version__
from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import is_read
from auscult.learning.settings import configured
from auscult.learning.source import corpus_digest
from auscult.learning.splits import NONE


def fit_concepts(
    corpus: Corpus,
    kind: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train: str = "train",
) -> ConceptCoder:
    """Learn a coder of concepts from the training split of a corpus, or all of it without splits.

    What is tuned is tuned within the training notes, out of fold; no other split is looked at.
    Notes without a mark that nobody read are left out, unless the setting `charts` is all.
    """
    learner = kind_of(kind)
    chosen = configured(learner.config_type, f"coder {kind}", config or {})
    if learner.needs_vocabulary and chosen.vocabulary is None:
        raise OptionError(
            f"The coder {kind} needs a vocabulary: --set vocabulary=PATH. Make one with: auscult "
            "vocab build SOURCE PATH"
        )
    vocabulary = None if chosen.vocabulary is None else Vocabulary.open(chosen.vocabulary)
    require_categories(corpus, chosen.categories)
    wanted = chosen_charts(corpus, chosen, train, NONE, by_note=True)
    charts = wanted.training
    there = [note for chart in charts for note in chart.notes if note.text]
    warn_of_left_out(there, chosen.categories)
    notes = list(Categories(chosen.categories).chosen(there))
    every = marked(notes, (a for chart in charts for a in chart.annotations))
    # A note that nobody read does not say that nothing is in it.
    made = every
    if chosen.charts == "annotated":
        whose = wanted.annotators
        made = [one for one in every if one.marks or is_read(one.note, whose)]
    marks = [mark for one in made for mark in one.marks]
    if not marks:
        raise AuscultError(
            f"None of the {len(notes):,} training notes has an annotation with spans, so there is "
            "nothing to learn from. Check the split, the annotators and the code systems chosen."
        )
    fitted = learner.fit(made, vocabulary, chosen, seed=seed)
    # Nothing but whether a note is read hangs on its category.
    [(usual, _)] = Counter(one.note.category for one in made for _ in one.marks).most_common(1)
    learnt_from = {one.note.chart_id for one in made}
    about = SpanAbout(
        made_by=f"auscult {__version__}",
        kind=kind,
        seed=seed,
        configuration=chosen.model_dump(mode="json"),
        vocabulary=None
        if vocabulary is None
        else VocabularyUsed(
            name=vocabulary.manifest.name,
            path=str(vocabulary.path.resolve()),
            digest=vocabulary.manifest.digest,
        ),
        source=Source(
            name=corpus.manifest.name,
            digest=corpus_digest(corpus),
            train=train,
            dev=NONE,
            charts=len(learnt_from),
            category=None if chosen.categories is None else usual,
        ),
        notes=len(made),
        left_out=len(every) - len(made),
        marks=len(marks),
        discontinuous=sum(len(mark.spans) > 1 for mark in marks),
        concepts=len(set(all_codes(made))),
        tuning=dict(getattr(fitted, "tuning", {})),
    )
    return ConceptCoder(about, chosen, fitted, frozenset(map(chart_digest, learnt_from)))


def train_concepts(
    corpus: Corpus,
    out: Path,
    kind: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train: str = "train",
    overwrite: bool = False,
) -> ConceptCoder:
    """Learn a coder of concepts and save it to `out`."""
    check_target(out, overwrite)
    coder = fit_concepts(corpus, kind, config, seed=seed, train=train)
    coder.save(out, overwrite=overwrite)
    return coder
