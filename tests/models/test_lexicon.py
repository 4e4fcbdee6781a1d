"""The lexicon: terms, what speaks against them, and where evidence ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Annotation, AuscultError, Code, Note, Span
from auscult.core.threads import limited
from auscult.corpus.corpus import Corpus
from auscult.models.chart_text import read_chart
from auscult.models.decoding import Decoding, spans
from auscult.models.examples import Example
from auscult.models.fitting import fit
from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.cooccurrence import add_cooccurring_terms
from auscult.models.lexicon.counts import CodeCounts
from auscult.models.lexicon.gold_evidence import FOLDS, GoldEvidence
from auscult.models.lexicon.joined_charts import JoinedCharts
from auscult.models.lexicon.lexicon_text import LexiconReader, guess_language
from auscult.models.lexicon.matching import Matcher
from auscult.models.lexicon.scorer import _extents
from auscult.models.lexicon.string_counts import HashCounts, StringCounts
from auscult.models.lexicon.strings import digest
from auscult.models.lexicon.term_index import TermIndex, wording_hashes
from auscult.models.lexicon.terms import TermTable
from auscult.models.model import Model

Toy = Callable[..., Corpus]


@pytest.fixture(scope="module")
def model(toy: Toy) -> Model:
    return fit(toy(), "lexicon", dev_split="none")


def given_codes(model: Model, text: str) -> dict[str, list[str]]:
    """Codes and the words shown for them, of a note never seen."""
    note = Note("new", "new", text=text)
    found: dict[str, list[str]] = {}
    for one in model.predict([note]):
        found.setdefault(one.code.value, []).extend(span.of(text) for span in one.spans)
    return found


def test_a_known_string_gives_its_code_and_is_the_evidence(model: Model) -> None:
    found = given_codes(model, "She was admitted with high blood pressure and sent home.")
    assert "high blood pressure" in found["I10"]
    assert found.keys() == {"I10"}


def test_plural_accent_and_case_do_not_matter(model: Model) -> None:
    assert "J18.9" in given_codes(model, "The patient was admitted with PNEUMONIAS and sent on.")


def test_what_was_never_annotated_after_no_is_not_given(model: Model) -> None:
    known = "Known for pneumonia since years; no complaints of the skin."
    assert given_codes(model, f"{known} There is no hypertension on examination.").keys() == {
        "J18.9"
    }
    assert given_codes(model, f"{known} Family: father had hypertension at old age.").keys() == {
        "J18.9"
    }


def test_a_saved_lexicon_says_the_same(model: Model, toy: Toy, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    notes = list(toy(80).iter_notes())
    assert list(again.predict(notes, ranked=3)) == list(model.predict(notes, ranked=3))
    assert not list((tmp_path / "model").rglob("*.pkl"))


def test_the_same_seed_learns_the_same(model: Model, toy: Toy) -> None:
    notes = list(toy(20).iter_notes())
    again = fit(toy(), "lexicon", dev_split="none")
    assert again.about == model.about
    assert list(again.predict(notes)) == list(model.predict(notes))


def test_threads_change_nothing(toy: Toy, tmp_path: Path) -> None:
    for threads in (1, 3):
        with limited(threads):
            fit(toy(40), "lexicon", dev_split="none").save(tmp_path / str(threads))
    one, three = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in "13"
    )
    assert one == three


def test_a_damaged_lexicon_is_an_error_that_says_so(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    (tmp_path / "model" / "lexicon.json").write_text('{"language": "english"')
    with pytest.raises(AuscultError, match="Train it again"):
        Model.load(tmp_path / "model")


def test_without_evidence_terms_come_from_names(toy: Toy) -> None:
    with pytest.warns(UserWarning, match="evidence"):
        model = fit(toy(evidence=False), "lexicon", dev_split="none")
    for name, code in (("pneumonia", "J18.9"), ("acute kidney failure", "N17.9")):
        text = f"The patient was admitted with {name} and sent to the ward."
        ranked = model.predict([Note("n", "n", text=text)], ranked=4)
        assert {one.code.value for one in ranked if one.score} == {code}


@pytest.mark.parametrize("every", [2, 5, 10])
def test_without_evidence_or_names_terms_are_words_that_go_with_a_code(every: int) -> None:
    """Also of a code that half of the charts have."""
    notes, annotations = [], []
    for at in range(100):
        name, has_it = f"c{at}", at % every == 0
        seen = "a blue zebra" if has_it else "the gray wall"
        text = f"On day {at % 7} we saw {seen} and went on with number {at % 9}."
        notes.append(Note(name, name, text=text))
        annotations.append(Annotation("a", Code("mine", "Z" if has_it else f"o{at % 3}"), name))
    with pytest.warns(UserWarning, match="evidence"):
        model = fit(Corpus.of(notes, annotations), "lexicon", dev_split="none")
    assert "Z" in given_codes(model, "On day 3 we saw a zebra and left.")
    assert "Z" not in given_codes(model, "On day 3 we saw the wall and left.")


def test_text_with_nothing_known_in_it_has_no_codes(model: Model) -> None:
    assert given_codes(model, "🙂 Zzz qqq.") == {}


def test_a_string_seen_in_one_fold_only_is_not_trusted_there() -> None:
    tally = StringCounts()
    strings = np.array([digest("rare string")] * 3 + [digest("common")] * 2, np.uint64)
    folds = np.array([1, 1, 1, 1, 2], np.int32)
    tally.add(strings, folds, np.ones(5, bool))
    tally.add_codes(strings, np.full(5, 7), folds)
    asked = np.array([digest("rare string")] * 3 + [digest("common")] * 2, np.uint64)
    without = np.array([1, 2, 0, 1, 0], np.int32)
    for found in tally.occurrences(asked, without):
        assert found.tolist() == [0, 3, 3, 1, 2]
    assert tally.evidence_for(asked, np.full(5, 7), without).tolist() == [0, 3, 3, 1, 2]
    assert tally.evidence_for(asked, np.full(5, 8), without).tolist() == [0] * 5


@given(st.lists(st.lists(st.integers(0, 60), max_size=80), max_size=6))
def test_hashes_are_counted(lots: list[list[int]]) -> None:
    counts = HashCounts()
    for lot in lots:
        counts.add(np.array([digest(str(number)) for number in lot], np.uint64))
    every = Counter(number for lot in lots for number in lot)
    asked = np.array([digest(str(number)) for number in range(70)], np.uint64)
    assert counts.get(asked).tolist() == [every[number] for number in range(70)]


def prepared(*texts: str) -> JoinedCharts:
    """Texts as the charts of a batch."""
    reader = LexiconReader("english")
    read = (read_chart("c", [Note("n", "c", text=text)]) for text in texts)
    charts = [reader.prepare(text) for text in read]
    return JoinedCharts.of(charts, [None] * len(charts))


def matches_of(keys: list[tuple[str, ...]], batch: JoinedCharts) -> list[tuple[int, list[int]]]:
    """The number of each key that is found, and the places of its words."""
    strings = batch.forms.strings
    counted = Counter(strings.names[at] for at in batch.keys.tolist())
    found = Matcher(keys, counted, strings).matches(batch)
    return [
        (key, places[:size])
        for key, places, size in zip(
            found.keys.tolist(), found.places.tolist(), found.sizes.tolist(), strict=True
        )
    ]


WORDS = st.lists(st.sampled_from(["renal", "acute", "failure", "x", "y", "."]), max_size=40)
KEYS = st.sets(st.sampled_from(["renal", "acute", "failur"]), min_size=1)


def expected(key: tuple[str, ...], batch: JoinedCharts) -> set[tuple[int, ...]]:
    """From every place of the rarest word of a key, the nearest one of each other word."""
    words = [batch.forms.strings.names[at] for at in batch.keys.tolist()]
    anchor = min(key, key=lambda word: (words.count(word), word))
    found = set()
    for at in range(len(words)):
        if words[at] == anchor:
            places = [at]
            for other in set(key) - {anchor}:
                near = [
                    (abs(place - at), place)
                    for place in range(max(0, at - 14), min(len(words), at + 15))
                    if words[place] == other and batch.sentences[place] == batch.sentences[at]
                ]
                if near:
                    places.append(min(near)[1])
            if len(places) == len(key):
                found.add(tuple(sorted(places)))
    return found


@given(st.lists(WORDS, min_size=1, max_size=3), st.lists(KEYS, min_size=1, max_size=4))
def test_terms_are_found_where_their_words_are_near_in_a_sentence(
    charts: list[list[str]], wanted: list[set[str]]
) -> None:
    batch = prepared(*(" ".join(("Seen", *words)) for words in charts))
    keys = sorted({tuple(sorted(key)) for key in wanted})
    found = matches_of(keys, batch)
    assert len(found) == len({(key, *places) for key, places in found})
    for number, key in enumerate(keys):
        mine = {tuple(places) for which, places in found if which == number}
        assert mine == expected(key, batch)


def test_words_of_two_sentences_or_charts_are_no_term() -> None:
    key = ("failur", "renal")
    assert matches_of([key], prepared("Renal cyst. Failure of the pump.")) == []
    assert matches_of([key], prepared("Known to be renal", "failure of the pump")) == []
    assert matches_of([key], prepared("Seen", "Failure, said to be renal")) == [(0, [1, 5])]


def test_a_genus_is_no_sentence_and_what_ends_with_a_letter_is() -> None:
    text = "Grew E. coli and hepatitis B. Treated"
    chart = LexiconReader("english").prepare(read_chart("c", [Note("n", "c", text=text)]))
    assert chart.sentences.tolist() == [1, 1, 1, 1, 1, 1, 2]


def test_a_wrapped_line_is_one_sentence_and_a_new_paragraph_is_not() -> None:
    text = "acute renal\nfailure\n\nSkin dry\nHeart sounds"
    chart = LexiconReader("english").prepare(read_chart("c", [Note("n", "c", text=text)]))
    assert chart.sentences.tolist() == [1, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("english", "The heart of the patient was normal and there is no pain"),
        ("german", "Der Patient wurde mit der Diagnose und bei Fieber nicht entlassen"),
        ("french", "Le patient est admis pour une douleur dans les jambes avec des lésions"),
        ("english", ""),
    ],
)
def test_the_language_is_guessed_from_common_words(language: str, text: str) -> None:
    assert guess_language([read_chart("c", [Note("n", "c", text=text)])]) == language


def test_a_code_is_as_common_as_it_is_outside_the_fold() -> None:
    codes = (Code("ICD-10-CM", "I10"), Code("ICD-10-CM", "J18.0"), Code("ICD-10-CM", "J18.9"))
    made = [
        Example(
            read_chart(f"c{chart}", [Note("n", f"c{chart}", f"p{chart // 2}", text="words")]),
            np.array([chart % 3], np.int64),
        )
        for chart in range(60)
    ]
    golds = GoldEvidence.of_all(made)
    assert all(a.fold == b.fold for a, b in zip(golds[::2], golds[1::2], strict=True))
    counts = CodeCounts.of(LabelSpace(codes, (20, 20, 20)), golds)
    for fold in range(FOLDS):
        others = [gold.codes for gold in golds if gold.fold != fold]
        [[charts, family, length, _]] = counts.describe(np.array([1]), np.array([fold + 1]))
        assert charts == pytest.approx(np.log1p(sum(1 in found for found in others)))
        assert family == pytest.approx(np.log1p(sum(bool(found & {1, 2}) for found in others)))
        assert length == 5
    assert counts.describe(np.array([1]), np.array([0]))[0, 0] == pytest.approx(np.log1p(20))


def codes_of(
    terms: TermTable, key: tuple[str, ...], stems: tuple[str, ...], without: int | None
) -> dict[int, tuple[int, int]]:
    """The codes that a match in these words may stand for: how close it is, charts behind it."""
    reader = LexiconReader("english")
    strings = reader.forms.strings
    keys = sorted(terms.all_keys())
    index = TermIndex(terms, keys, 9, strings)
    if key not in keys:
        return {}
    rows, size = strings.numbers(stems)[None, :], np.array([len(stems)], np.int32)
    fold = np.array([0 if without is None else without + 1], np.int32)
    at = np.array([keys.index(key)], np.int32)
    found = index.sources(at, *wording_hashes(rows, size, strings), fold)
    values = zip(found.near.tolist(), found.charts.tolist(), strict=True)
    return dict(zip(found.codes.tolist(), values, strict=True))


def test_what_only_its_own_fold_taught_does_not_match_a_chart() -> None:
    terms = TermTable()
    terms.add(("ct", "knee"), ("ct", "knee"), 3, {1: 1})
    terms.add(("ct", "knee"), ("ct", "knee"), 4, {2: 2})
    assert codes_of(terms, ("ct", "knee"), ("knee", "ct"), None) == {3: (2, 1), 4: (2, 2)}
    assert codes_of(terms, ("ct", "knee"), ("ct", "knee"), 1) == {4: (3, 2)}
    assert codes_of(terms, ("ct", "knee"), ("ct", "knee"), 2) == {3: (3, 1)}


def test_company_that_only_its_own_fold_reveals_does_not_match_a_chart() -> None:
    """In two charts a word is company, in one it is chance: each of two must not see it."""
    made = []
    for chart in range(40):
        text = "word of a note" + (" with zebra" if chart in (3, 5) else "")
        text += " and heron" if chart in (3, 5, 6, 7) else ""
        codes = np.array([0] if chart in (3, 5, 6, 7) else [], np.int64)
        note = Note("n", f"c{chart}", text=text)
        made.append(Example(read_chart(f"c{chart}", [note]), codes))
    reader, terms = LexiconReader("english"), TermTable()
    charts = [reader.prepare(one.text) for one in made]
    add_cooccurring_terms(terms, charts, GoldEvidence.of_all(made), np.zeros(0, bool))

    def seen(word: str, without: int | None) -> int:
        _, stem, key = reader.forms.of(word)
        return codes_of(terms, (key,), (stem,), without).get(0, (0, 0))[1]

    assert [seen("zebra", fold) for fold in (None, 3, 5, 6)] == [2, 0, 0, 2]
    assert [seen("heron", fold) for fold in (None, 3, 5, 6, 8)] == [4, 3, 3, 3, 4]


def test_a_lexicon_without_alternatives_has_none_to_show(toy: Toy) -> None:
    model = fit(toy(), "lexicon", {"alternative_ratio": 1}, dev_split="none")
    shown = 0
    for note in toy(20).iter_notes():
        by_code: dict[Code, list[Span]] = {}
        for one in model.predict([note], alternatives=True):
            by_code.setdefault(one.code, []).extend(one.spans)
        for found in by_code.values():
            ordered = sorted(found, key=lambda span: span.begin)
            shown += len(ordered)
            assert all(before.end <= after.begin for before, after in pairwise(ordered))
    assert shown


def test_alternatives_are_those_nearly_as_good_as_the_best() -> None:
    begins, ends = np.array([0, 0, 1, 9], np.int32), np.array([2, 3, 3, 10], np.int32)
    trusted = np.array([0.5, 0.8, 0.3, 0.4], np.float32)
    shown = _extents(begins, ends, trusted, 0.6)
    assert list(zip(shown.begins, shown.ends, strict=True)) == [(0, 3), (0, 2), (9, 10)]
    np.testing.assert_allclose(shown.weights, [1.0, 1.0, 0.5])
    # The same places as are shown by default, whatever the setting.
    text = read_chart("c", [Note("n", "c", text="a b c d e f g h i j")])
    best = [span for _, span, _ in spans(text, shown, Decoding(joins_words=False))]
    assert best == [Span(0, 5), Span(18, 19)]
    alone = _extents(begins, ends, trusted, 1.0)
    assert list(zip(alone.begins, alone.ends, strict=True)) == [(0, 3), (9, 10)]


def test_an_unknown_language_is_an_error(toy: Toy) -> None:
    with pytest.raises(AuscultError, match="klingon"):
        fit(toy(8), "lexicon", {"language": "klingon"}, dev_split="none")


def test_codes_are_of_the_label_space(model: Model) -> None:
    notes = [Note("new", "new", text="Pneumonia, hypertension and much else.")]
    found = {one.code for one in model.predict(notes, ranked=9)}
    assert len(model.labels) == 4
    assert found == set(model.labels)


def test_a_reference_with_a_part_inside_another_reaches_to_its_last_word() -> None:
    text = read_chart("c", [Note("n", "c", text="one two three four five six seven")])
    parts = np.array([[0, 7], [1, 2]], np.int32)
    gold = GoldEvidence.of(Example(text, np.array([3], np.int64), references={3: (parts,)}))
    assert gold.extents == {3: [(0, 7)]}


def test_text_of_nothing_but_digits_or_half_a_character_is_read(model: Model) -> None:
    digits = "9" * 5_000
    texts = [f"Number {digits} of hypertension.", "Half of \ud83d a smile."]
    notes = [Note(f"n{at}", f"n{at}", text=text) for at, text in enumerate(texts)]
    list(model.predict(notes))
    assert list(model.scores([((), [Code("ICD-10-CM", "I10")])])) == [[0.0]]


def test_one_that_is_overwritten_leaves_nothing_of_its_judgment(tmp_path: Path) -> None:
    """The first was always right, so it has only shares; the second has learned to doubt."""
    asthma = Code("mine", "J45")

    def learned(denied: int) -> Model:
        notes, annotations = [], []
        for at in range(20 + denied):
            is_so = at < 20
            text = "Seen for asthma today." if is_so else "No asthma now."
            notes.append(Note(f"n{at}", f"n{at}", text=text, read_by=("a",)))
            if is_so:
                begin = text.index("asthma")
                span = Span(begin, begin + 6)
                annotations.append(Annotation("a", asthma, f"n{at}", f"n{at}", (span,)))
        with pytest.warns(UserWarning, match="no splits"):
            return fit(Corpus.of(notes, annotations), "lexicon", dev_split="none")

    place = tmp_path / "model"
    learned(0).save(place)
    assert (place / "shares.npz").exists()
    second = learned(40)
    second.save(place)
    assert not (place / "shares.npz").exists()
    asked = [([Note("x", "x", text="No asthma now.")], [asthma])]
    assert list(Model.load(place).scores(asked)) == list(second.scores(asked))
