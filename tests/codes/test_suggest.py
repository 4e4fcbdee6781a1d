"""Suggestions: the published system, held against a plain one, and what goes beyond it."""

from __future__ import annotations

import math
import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.codes.abbreviations import Abbreviations, common, defined_in
from auscult.codes.concept import Concept, Synonym
from auscult.codes.index import nearest
from auscult.codes.index.stems import stem
from auscult.codes.index.wordlists import stop_words
from auscult.codes.suggest import Prior, Suggester
from auscult.codes.vocabulary import Vocabulary
from auscult.core import AuscultError, Code, FormatError, OptionError


def umls(cui: str, name: str, *synonyms: str, kind: str = "Finding", source: str = "") -> Concept:
    return Concept(
        Code("UMLS", cui),
        name,
        tuple(Synonym(text, source) for text in (name, *synonyms)),
        (kind,),
    )


# The concepts the paper (Agrawal and others 2020) names in its examples.
SEED = [
    umls("C0277797", "Afebrile", "Apyrexial", "Without fever"),
    umls("C0042313", "Vancomycin", "Vancomycin product", kind="Antibiotic"),
    umls("C0031955", "Piperacillin", kind="Antibiotic"),
    umls("C1287928", "Finding of urine output", "Urine output"),
    umls("C0033707", "Prothrombin time", "PT", "Prothrombin time assay", "Protime"),
    umls("C0949766", "Physical therapy", "PT", "Physiotherapy"),
    umls("C1720310", "Posterior tibial pulse", "PT"),
    umls("C0030705", "Patients", "Patient", kind="Patient or Disabled Group"),
    umls("C0009264", "Cold temperature", "Cold", "Low temperature", "Coldness", kind="Phenomenon"),
    umls("C0009443", "Common cold", "Cold", "Acute coryza", "Cold, common", "Head cold"),
    umls("C0234192", "Cold sensation", "Cold", "Feels cold"),
    umls("C0024117", "Chronic obstructive airway disease", "COLD", "COPD", "Chronic obstructive "
         "lung disease", "Chronic obstructive pulmonary disease", "Chronic airflow obstruction"),
    umls("C0038218", "Severe asthma exacerbation"),
    umls("C0349790", "Asthma exacerbation", "Exacerbation of asthma"),
    umls("C0004096", "Asthma", "Bronchial asthma", "Asthmatic", kind="Disease or Syndrome"),
    umls("C0205082", "Severe", "Severe (severity modifier)", kind="Qualitative Concept"),
    umls("C0018802", "Congestive heart failure", kind="Disease or Syndrome"),
    umls("C0018801", "Heart failure", "Cardiac failure", "Weak heart", kind="Disease or Syndrome"),
    umls("C0006277", "Bronchitis"),
]  # fmt: skip


@pytest.fixture(scope="module")
def suggester(tmp_path_factory: pytest.TempPathFactory) -> Suggester:
    return Suggester(Vocabulary.build(SEED, tmp_path_factory.mktemp("seed") / "v"))


def ids(suggester: Suggester, text: str, **options: object) -> list[str]:
    return [found.code.value for found in suggester.suggest(text, **options)]  # type: ignore[arg-type]  # as given


@pytest.mark.parametrize(
    ("text", "cui"),
    [
        ("Afeb", "C0277797"),
        ("Afeb.", "C0277797"),
        ("vanco", "C0042313"),
        ("pip", "C0031955"),
        ("UO", "C1287928"),
        ("Severe Asthma Exacerbation", "C0038218"),
        ("exacerbations of asthma", "C0349790"),
        ("exacerbated asthma", "C0349790"),
        ("heart failure, congestive", "C0018802"),
    ],
)
def test_the_papers_examples_come_first(suggester: Suggester, text: str, cui: str) -> None:
    assert ids(suggester, text)[0] == cui


def test_pt_has_its_readings_and_cold_its_four(suggester: Suggester) -> None:
    # By number of synonyms; "patient" is no synonym but what the list says pt stands for.
    assert ids(suggester, "pt")[:4] == ["C0033707", "C0949766", "C1720310", "C0030705"]
    assert set(ids(suggester, "cold", limit=4)) == {"C0009443", "C0009264", "C0234192", "C0024117"}
    assert ids(suggester, "cold")[0] == "C0024117"
    assert "preferred name" in suggester.suggest("Heart failure")[0].why
    assert 'synonym "PT"' in suggester.suggest("pt")[0].why
    assert "may stand for" in suggester.suggest("UO")[0].why


def test_sub_concepts_follow_the_whole(suggester: Suggester) -> None:
    found = suggester.suggest("Severe asthma exacerbation", limit=4)
    assert [s.code.value for s in found[:2]] == ["C0038218", "C0349790"]
    assert {s.code.value for s in found[2:]} == {"C0004096", "C0205082"}
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    assert found[1].why == 'shares asthma, exacerbation with "Asthma exacerbation"'


def test_a_word_cut_short_is_the_commonest_that_begins_so(tmp_path: Path) -> None:
    """However many words begin so: the commonest comes after thousands in the alphabet."""
    rare = [umls(f"R{n}", f"proa{n:05}") for n in range(3_000)]
    common = [umls(f"C{n}", f"prothrombin deficiency {n}") for n in range(3)]
    suggester = Suggester(Vocabulary.build([*rare, *common], tmp_path / "v"))
    found = suggester.suggest("pro deficiency", limit=1)[0]
    assert found.code.value == "C0"
    assert "pro read as prothrombin" in found.why


def test_counts_of_a_corpus_come_before_synonyms(tmp_path: Path) -> None:
    used = Prior([("pt", Code("UMLS", "C0949766"))] * 15 + [("pt", Code("UMLS", "C0030705"))] * 2)
    vocabulary = Vocabulary.build(SEED, tmp_path / "v")
    assert ids(Suggester(vocabulary, prior=used), "PT")[:3] == ["C0949766", "C0030705", "C0033707"]
    first, second = Suggester(vocabulary, prior=used).suggest("pt")[:2]
    assert first.why == 'synonym "PT", used in annotations 15 times'
    assert second.why == "used in annotations 2 times"
    # What is learned while annotating counts at once.
    prior = Prior()
    learning = Suggester(vocabulary, prior=prior)
    assert ids(learning, "clammy hands")[:1] != ["C0234192"]
    prior.add("Clammy  hands", Code("UMLS", "C0234192"))
    assert ids(learning, "clammy hands")[0] == "C0234192"
    # A code that the vocabulary does not have is not suggested.
    prior.add("nonsense", Code("UMLS", "C9999999"))
    assert ids(learning, "nonsense") == []


def test_counts_may_be_built_in(tmp_path: Path) -> None:
    from auscult.codes.sources import from_strings

    uses = [("pt", Code("UMLS", "C1720310"))] * 3 + [("PT", Code("UMLS", "C1720310"))]
    vocabulary = Vocabulary.build([*SEED, *from_strings(uses)], tmp_path / "v")
    assert vocabulary.require("C1720310").name == "Posterior tibial pulse"
    found = Suggester(vocabulary).suggest("pt")[0]
    assert found.code.value == "C1720310"
    assert "used in annotations 4 times" in found.why


def test_a_note_that_spells_it_out_decides(suggester: Suggester) -> None:
    note = "Admitted with congestive heart failure (CHF). Pulses: posterior tibial pulse (PT) weak."
    assert ids(suggester, "CHF", note=note)[0] == "C0018802"
    assert ids(suggester, "pt", note=note)[0] == "C1720310"
    assert "the note spells out" in suggester.suggest("pt", note=note)[0].why
    assert ids(suggester, "pt", note="nothing of the kind")[0] == "C0033707"
    own = Suggester(suggester.vocabulary, Abbreviations([("whf", "weak heart")]))
    assert ids(own, "WHF")[0] == "C0018801"
    assert ids(own, "UO") == []
    assert ids(own, "severe whf", limit=2) == ["C0018801", "C0205082"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ashtma", "C0004096"),
        ("asthmma", "C0004096"),
        ("bronchiits", "C0006277"),
        ("piperacilin", "C0031955"),
        ("hart failure", "C0018801"),
        ("vancomycn", "C0042313"),
        ("bronchit", "C0006277"),
    ],
)
def test_slips_of_the_pen(suggester: Suggester, typed: str, meant: str) -> None:
    assert ids(suggester, typed)[0] == meant
    assert suggester.suggest(typed)[0].score < 1
    assert "read as" in suggester.suggest(typed)[0].why


def test_filters(tmp_path: Path) -> None:
    concepts = [
        umls("1", "Cold", "Common cold", kind="Disease", source="A"),
        umls("2", "Cold", kind="Temperature", source="B"),
        umls("3", "Cold head", kind="Disease", source="B"),
    ]
    suggester = Suggester(Vocabulary.build(concepts, tmp_path / "v"))
    assert ids(suggester, "cold") == ["1", "2", "3"]
    assert ids(suggester, "cold", types=["Disease"]) == ["1", "3"]
    assert ids(suggester, "cold", types=["Disease", "Temperature"], sources=["B"]) == ["2", "3"]
    assert ids(suggester, "cold", sources=["A"]) == ["1"]
    with pytest.raises(OptionError, match="Did you mean Disease"):
        suggester.suggest("cold", types=["Diseases"])
    with pytest.raises(OptionError, match="no source 'C'"):
        suggester.suggest("cold", sources=["C"])


def test_odd_questions(suggester: Suggester) -> None:
    assert suggester.suggest("") == []
    assert suggester.suggest(" \n\t ") == []
    assert suggester.suggest("()!?") == []
    assert suggester.suggest("of the") == []
    assert suggester.suggest("xqzwv") == []
    assert ids(suggester, "asthma\x00\x07")[0] == "C0004096"
    assert ids(suggester, "asthma \ud800")[0] == "C0004096"
    assert ids(suggester, "“ASTHMA”,")[0] == "C0004096"
    assert len(ids(suggester, "cold", limit=1)) == 1
    assert ids(suggester, " ".join(["asthma"] * 500))[0] == "C0004096"
    assert len(suggester.suggest(" ".join(f"w{n} asthma" for n in range(300)))) > 0
    with pytest.raises(OptionError, match="10000 characters"):
        suggester.suggest("a" * 10_000)
    with pytest.raises(OptionError, match="at least 1"):
        suggester.suggest("a", limit=0)


def test_a_suggestion_shows_nothing_of_the_note() -> None:
    from auscult.codes.suggest import Suggestion

    assert "secret" not in repr(Suggestion(Code("x", "1"), "n", 1.0, "secret"))


def plain_ranking(concepts: list[Concept], query: str, limit: int) -> list[tuple[str, float]]:
    """The published system in plain Python: a dictionary, and sets of stems for each term."""

    def stems(text: str) -> frozenset[str]:
        words = re.findall(r"[a-z0-9]+", text.lower())
        return frozenset(stem(w, "english") for w in words if w not in stop_words("english"))

    rows = [(c, stems(s.text)) for c in concepts for s in c.synonyms]
    frequency = Counter(word for _, found in rows for word in found)

    def weight(words: frozenset[str]) -> float:
        return sum(math.log1p(len(rows) / frequency[w]) if w in frequency else
                   math.log1p(len(rows)) for w in words)  # fmt: skip

    def synonyms(concept: Concept) -> int:
        return len({" ".join(re.findall(r"\w+", s.text.lower())) for s in concept.synonyms})

    exact = [
        c for c in concepts if any(s.text.lower().split() == query.split() for s in c.synonyms)
    ]
    exact.sort(key=lambda c: (-synonyms(c), c.id))
    asked = stems(query)
    scores: dict[str, float] = {}
    for concept, has in rows:
        if asked & has:
            score = weight(asked & has) / weight(asked | has)
            scores[concept.id] = max(scores.get(concept.id, 0.0), round(score, 6))
    by_id = {c.id: c for c in concepts}
    near = sorted(scores, key=lambda i: (-scores[i], -synonyms(by_id[i]), i))
    ranked = [(c.id, 1.0) for c in exact]
    ranked += [(i, scores[i]) for i in near if i not in {c.id for c in exact}]
    return ranked[:limit]


WORDS = st.sampled_from(
    "acute chronic renal failure failures heart of the left lung infection infected node".split()  # noqa: SIM905 - a list of words
)
TERM = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.lists(TERM, min_size=1, max_size=4, unique=True), min_size=1, max_size=25),
    st.lists(TERM, min_size=1, max_size=4),
    st.integers(1, 8),
    st.sampled_from([(1, 0), (1, 10**9), (2, 3), (256, 40_000)]),
)
def test_the_same_as_a_plain_index(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[list[str]],
    queries: list[str],
    limit: int,
    sizes: tuple[int, int],
) -> None:
    concepts = [umls(f"C{n}", *texts) for n, texts in enumerate(names)]
    vocabulary = Vocabulary.build(concepts, tmp_path_factory.mktemp("p") / "v")
    suggester = Suggester(vocabulary, Abbreviations())
    with pytest.MonkeyPatch.context() as patch:
        # Small windows and small merges go the ways that only large vocabularies go otherwise.
        patch.setattr(nearest, "_WINDOW", sizes[0])
        patch.setattr(nearest, "_AT_ONCE", sizes[1])
        for query in queries:
            known = [w for w in query.split() if any(w in t.split() for ts in names for t in ts)]
            if len(known) < len(query.split()):
                continue  # words the vocabulary lacks are guessed at, which a plain index does not
            found = [(s.code.value, s.score) for s in suggester.suggest(query, limit=limit)]
            expected = plain_ranking(concepts, query, limit)
            assert [i for i, _ in found] == [i for i, _ in expected]
            assert [s for _, s in found] == pytest.approx([s for _, s in expected], abs=1e-5)


def test_frequent_stems_answer_the_same(tmp_path: Path) -> None:
    """A stem in very many terms is looked up in a bitmap instead of its list."""
    concepts = [
        umls(f"C{n:05}", f"disorder {n % 50} of {'left' if n % 3 else 'right'} w{n}")
        for n in range(4_000)
    ]
    vocabulary = Vocabulary.build(concepts, tmp_path / "v")
    assert len(vocabulary.arrays["bitmap_of_stem"]) >= 2
    suggester = Suggester(vocabulary, Abbreviations())
    for query in ("disorder", "left disorder 7", "right disorder w3999", "disorder of right 49"):
        found = [(s.code.value, round(s.score, 4)) for s in suggester.suggest(query, limit=12)]
        assert found == [(i, round(score, 4)) for i, score in plain_ranking(concepts, query, 12)]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("acute kidney injury (AKI) resolved", [("AKI", "acute kidney injury")]),
        ("HTN (hypertension)", [("HTN", "hypertension")]),
        ("chronic obstructive\npulmonary disease (COPD)",
         [("COPD", "chronic obstructive pulmonary disease")]),
        ("He has a fever (101 F). The patient (he) left", []),
        ("deep vein thrombosis (DVT) and pulmonary embolism (PE)",
         [("DVT", "deep vein thrombosis"), ("PE", "pulmonary embolism")]),
        ("C-reactive protein (CRP)", [("CRP", "C-reactive protein")]),
        ("seen by Dr. Smith (MD)", []),
        ("(", []),
        ("()) (( (A) (AB", []),
    ],
)  # fmt: skip
def test_abbreviations_a_note_defines(text: str, pairs: list[tuple[str, str]]) -> None:
    assert defined_in(text) == pairs


@given(st.text())
def test_no_text_is_too_odd_to_look_for_abbreviations(text: str) -> None:
    for short, long in defined_in(text):
        assert len(short) < len(long)


def test_lists_of_abbreviations(tmp_path: Path) -> None:
    assert common().expand("vanco") == ("vancomycin",)
    assert "patient" in common().expand("Pt.")
    assert common().expand("no such") == ()
    file = tmp_path / "mine.tsv"
    file.write_text("# mine\nXY\texample yield\n\nXY\texact years\n", encoding="utf-8")
    assert Abbreviations.read(file).expand("xy") == ("example yield", "exact years")
    file.write_text("XY example yield\n")
    with pytest.raises(FormatError, match=r"mine\.tsv row 1: expected a short form, a tab"):
        Abbreviations.read(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AuscultError):
        Abbreviations.read(file)


@pytest.mark.real
def test_abbreviations_in_real_abstracts_and_what_they_are_worth(shared_data: Path) -> None:
    """NCBI disease abstracts: suggestions for the marked mentions, with and without the note."""
    from auscult.codes.exclusions import Exclusions
    from auscult.codes.sources import SourceOptions, keyed_by, read
    from auscult.corpus import formats

    table = shared_data / "doid" / "allXREFinDO.tsv"
    exclusions = Exclusions()
    concepts = read(table, SourceOptions(system="DOID"), exclusions)
    with tempfile.TemporaryDirectory() as made:
        vocabulary = Vocabulary.build(keyed_by(concepts, "MeSH", exclusions), Path(made, "v"))
        suggester = Suggester(vocabulary)
        known = {concept.id for concept in vocabulary}
        source = shared_data / "ncbi_disease" / "devel" / "NCBIdevelopset_corpus.txt"
        corpus = formats.read("pubtator", source)
        texts = {note.note_id: note.text or "" for note in corpus.iter_notes()}
        hits: Counter[str] = Counter()
        for annotation in corpus.iter_annotations():
            if annotation.code.value not in known or annotation.note_id is None:
                continue
            note = texts[annotation.note_id]
            marked = " ".join(span.of(note) for span in annotation.spans)
            hits["all"] += 1
            hits["alone"] += annotation.code.value in ids(suggester, marked, limit=1)
            hits["in note"] += annotation.code.value in ids(suggester, marked, limit=1, note=note)
    assert hits["all"] > 400
    assert hits["in note"] > hits["alone"] + 0.1 * hits["all"]
    assert hits["in note"] > 0.6 * hits["all"]
