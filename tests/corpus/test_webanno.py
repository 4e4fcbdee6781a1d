"""WebAnno TSV 3.3: bytes worked out by hand from the format's description, and a second reader."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auscult.core import Annotation, Code, FormatError, Note, OptionError, Span
from auscult.corpus import Corpus, formats
from auscult.corpus.compare import differences
from auscult.corpus.formats.contract import Loss

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"


def code(
    text: str,
    *words: str,
    value: str = "R50.9",
    who: str = "ann",
    system: str = "ICD-10-CM",
    note: str = "n1",
    **more: Any,
) -> Annotation:
    """An annotation on the first occurrence of each of the words."""
    spans = tuple(Span(text.index(word), text.index(word) + len(word)) for word in words)
    return Annotation(who, Code(system, value), note, note, spans, **more)


def written(tmp_path: Path, text: str, *annotations: Annotation, **more: Any) -> str:
    """The one file that a corpus of one note becomes."""
    target = tmp_path / "out"
    corpus = Corpus.of([Note("n1", **{"chart_id": "n1", **more}, text=text)], annotations)
    losses = formats.write("webanno", corpus, target)
    assert losses == []
    assert differences(corpus, formats.read("webanno", target)) == []
    return (target / "n1.tsv").read_bytes().decode()


def read_file(tmp_path: Path, content: str, name: str = "n1.tsv", **options: Any) -> Corpus:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return formats.read("webanno", path, **options)


def spans_of(corpus: Corpus) -> list[tuple[str, str, str, list[tuple[int, int]]]]:
    return sorted(
        (a.annotator, a.code.system, a.code.value, [(s.begin, s.end) for s in a.spans])
        for a in corpus.iter_annotations()
    )


# The bytes


def test_offsets_count_utf16_units(tmp_path: Path) -> None:
    text = "I like it 😊 ."
    assert written(tmp_path, text, code(text, "😊"), code(text, ".")) == (
        "#FORMAT=WebAnno TSV 3.3\n"
        "#T_SP=webanno.custom.Code|annotator|code|system\n"
        "\n"
        "\n"
        "#Text=I like it 😊 .\n"
        "1-1\t0-1\tI\t_\t_\t_\t\n"
        "1-2\t2-6\tlike\t_\t_\t_\t\n"
        "1-3\t7-9\tit\t_\t_\t_\t\n"
        "1-4\t10-12\t😊\tann\tR50.9\tICD-10-CM\t\n"
        "1-5\t13-14\t.\tann\tR50.9\tICD-10-CM\t\n"
    )


def test_spans_of_several_words_and_stacked_ones_are_numbered(tmp_path: Path) -> None:
    # In order of begin, longest first: renal failure 1, renal 2, failure 3. Alone, acute has none.
    text = "acute renal failure"
    annotations = [
        code(text, "failure", value="F"),
        code(text, "renal", value="R"),
        code(text, "renal failure", value="N17.9"),
        code(text, "acute", value="A"),
    ]
    assert written(tmp_path, text, *annotations).splitlines()[4:] == [
        "#Text=acute renal failure",
        "1-1\t0-5\tacute\tann\tA\tICD-10-CM\t",
        "1-2\t6-11\trenal\tann[1]|ann[2]\tN17.9[1]|R[2]\tICD-10-CM[1]|ICD-10-CM[2]\t",
        "1-3\t12-19\tfailure\tann[1]|ann[3]\tN17.9[1]|F[3]\tICD-10-CM[1]|ICD-10-CM[3]\t",
    ]


def test_spans_that_split_words_have_rows_of_their_own(tmp_path: Path) -> None:
    text = "hypertension untreated"
    annotations = [
        code(text, "hyper", value="1"),
        code(text, "tension un", value="2"),
        code(text, "untreated", value="3"),
        code(text, "treat", value="4"),
    ]
    rows = written(tmp_path, text, *annotations).splitlines()[5:]
    assert [row.split("\t")[:5] for row in rows] == [
        ["1-1", "0-12", "hypertension", "_", "_"],
        ["1-1.1", "0-5", "hyper", "ann", "1"],
        ["1-1.2", "5-12", "tension", "ann[1]", "2[1]"],
        ["1-2", "13-22", "untreated", "ann", "3"],
        ["1-2.1", "13-15", "un", "ann[1]", "2[1]"],
        ["1-2.2", "15-20", "treat", "ann", "4"],
    ]


def test_an_empty_span_is_an_empty_row(tmp_path: Path) -> None:
    text = "word."
    at_edge = Annotation("ann", Code("S", "C"), "n1", "n1", (Span(4, 4),))
    assert written(tmp_path, text, at_edge).splitlines()[5:] == [
        "1-1\t0-4\tword\t_\t_\t_\t",
        "1-1.1\t4-4\t\tann\tC\tS\t",
        "1-2\t4-5\t.\t_\t_\t_\t",
    ]


def test_reserved_characters_are_escaped(tmp_path: Path) -> None:
    text = "x"
    value = "\\[]|_->;\t\n*-"
    nasty = code(text, "x", value=value, system="*", who="_", score=0.5, meta={"k": "\r"})
    assert written(tmp_path, text, nasty).splitlines()[1:] == [
        "#T_SP=webanno.custom.Code|annotator|code|meta|score|system",
        "",
        "",
        "#Text=x",
        '1-1\t0-1\tx\t\\_\t\\\\\\[\\]\\|\\_\\->\\;\\t\\n\\*-\t{"k": "\\\\r"}\t0.5\t\\*\t',
    ]


def test_lines_are_sentences_and_nothing_falls_between_them(tmp_path: Path) -> None:
    # The line break before a sentence is what every reader puts there; the rest is text.
    text = "Fever.\nNo\tcough.\r\n\r\n  BP \\ 120\u00a0/80 \nend\n\n"
    content = written(tmp_path, text)
    assert [line for line in content.split("\n") if line.startswith("#Text")] == [
        "#Text=Fever.",
        "#Text=No\\tcough.\\r",
        "#Text=\\r",
        "#Text=  ",
        "#Text=BP \\\\ 120\u00a0/80 ",
        "#Text=end",
        "#Text=",
        "#Text=",
    ]
    assert [line.split("\t")[:2] for line in content.split("\n") if line[:1].isdigit()] == [
        ["1-1", "0-5"],
        ["1-2", "5-6"],
        ["2-1", "7-9"],
        ["2-2", "10-15"],
        ["2-3", "15-16"],
        ["3-1", "22-24"],
        ["3-2", "25-26"],
        ["3-3", "27-30"],
        ["3-4", "31-32"],
        ["3-5", "32-34"],
        ["4-1", "36-39"],
    ]


def test_what_is_known_of_a_note_is_on_its_first_word(tmp_path: Path) -> None:
    content = written(tmp_path, "Fever.", chart_id="c_1", category="Nursing", meta={"a": "b"})
    assert content.splitlines()[1:] == [
        "#T_SP=webanno.custom.Note|category|chart|meta",
        "",
        "",
        "#Text=Fever.",
        '1-1\t0-5\tFever\tNursing\tc\\_1\t{"a": "b"}\t',
        "1-2\t5-6\t.\t_\t_\t_\t",
    ]


def test_a_discontinuous_annotation_is_tied_together(tmp_path: Path) -> None:
    text = "renal and hepatic failure"
    content = written(tmp_path, text, code(text, "failure", "renal"), code(text, "hepatic failure"))
    assert "#T_SP=webanno.custom.Code|annotator|code|part|system\n" in content
    rows = [line.split("\t") for line in content.splitlines()[5:]]
    assert {row[2]: row[5] for row in rows} == {
        "renal": "1.2",
        "and": "_",
        "hepatic": "*[1]",
        "failure": "*[1]|1.1[2]",
    }


def test_combining_marks_stay_with_their_letter(tmp_path: Path) -> None:
    content = written(tmp_path, "nai\u0308ve e\u0301, 2\ufe0f\u20e3")
    assert [line.split("\t")[2] for line in content.splitlines()[4:]] == [
        "nai\u0308ve",
        "e\u0301",
        ",",
        "2\ufe0f\u20e3",
    ]


def test_file_names_hold_any_id(tmp_path: Path) -> None:
    ids = ["a/b", ".hidden", "50%", "ünï 🫀", "a:b*c?", "x.tsv"]
    corpus = Corpus.of([Note(note_id, note_id, text="x") for note_id in ids])
    assert formats.write("webanno", corpus, tmp_path / "out") == []
    assert (tmp_path / "out" / "a%2Fb.tsv").exists()
    assert differences(corpus, formats.read("webanno", tmp_path / "out")) == []
    with pytest.raises(FormatError, match="too long for a file name"):
        formats.write("webanno", Corpus.of([Note("n" * 300, "c", text="x")]), tmp_path / "long")
    assert not (tmp_path / "long").exists()


def test_named_entities_need_no_layer_to_be_made(tmp_path: Path) -> None:
    text = "renal and hepatic failure"
    annotations = [code(text, "renal", score=0.5), code(text, "renal", "failure", value="K72")]
    losses = formats.write(
        "webanno",
        Corpus.of([Note("n1", "n1", category="Nursing", text=text)], annotations),
        tmp_path / "out",
        layer="NamedEntity",
    )
    content = (tmp_path / "out" / "n1.tsv").read_text()
    assert f"#T_SP={NAMED_ENTITY}|identifier|value\n" in content
    assert "1-1\t0-5\trenal\tR50.9[1]|K72[2]\tICD-10-CM[1]|ICD-10-CM[2]\t\n" in content
    assert {str(loss) for loss in losses} == {
        "3 values of annotator: left out",
        "1 values of score: left out",
        "2 spans of discontinuous annotations: written as annotations of their own",
        "1 notes with a category: left out",
    }
    assert spans_of(formats.read("webanno", tmp_path / "out", annotator="ann")) == [
        ("ann", "ICD-10-CM", "K72", [(0, 5)]),
        ("ann", "ICD-10-CM", "K72", [(18, 25)]),
        ("ann", "ICD-10-CM", "R50.9", [(0, 5)]),
    ]


def test_losses_are_said(tmp_path: Path) -> None:
    text = "\n\t Fever \0"
    corpus = Corpus.of(
        [
            Note("n1", "n1", category="a\rb", text=text),
            Note("n2", "n2"),
            Note("n3", "n3", text=" \n"),
        ],
        [
            Annotation("a", Code("S", "C"), "n1", "n1"),
            Annotation("a", Code("S", "C"), "n1"),
            Annotation("a", Code("S", "C"), "n2", "n2", (Span(0, 1),)),
            Annotation("a", Code("S", "C"), "n1", "n1", (Span(1, 9),)),
            Annotation("a", Code("S", "C"), "n1", "n1", (Span(8, 9),)),
            Annotation("a", Code("S", "\r"), "other", "n1", (Span(3, 8),)),
        ],
    )
    assert set(formats.write("webanno", corpus, tmp_path / "out")) == {
        Loss("annotations", "annotations on a whole chart (note_id is null)", 1, "left out"),
        Loss("notes", "notes without text", 1, "left out"),
        Loss("annotations", "annotations on notes without text", 1, "left out"),
        Loss("annotations", "annotations on a note without spans", 1, "left out"),
        Loss(
            "annotations.chart_id",
            "annotations whose chart_id differs from their note's",
            1,
            "read back with the note's chart_id",
        ),
        Loss("notes.text", "NUL characters", 1, "written as U+FFFD"),
        Loss(
            "notes.text",
            "line breaks, tabs and so on before a note's first word",
            2,
            "become spaces",
        ),
        Loss("notes.text", "characters of notes without a word", 2, "left out"),
        Loss(
            "annotations.spans",
            "spans that begin or end in white space",
            1,
            "moved to the nearest word",
        ),
        Loss(
            "annotations", "spans of white space only, or past the end of the note", 1, "left out"
        ),
        Loss("annotations.code", "carriage returns and NULs in a code or name", 2, "become spaces"),
    }
    back = formats.read("webanno", tmp_path / "out")
    assert {note.note_id: note.text for note in back.iter_notes()} == {
        "n1": "   Fever \ufffd",
        "n3": "",
    }
    assert [span for *_, span in spans_of(back)] == [[(3, 8)], [(3, 8)]]


# Reading what others wrote

EXPORT = f"""\
#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue|coarseValue
#T_SP={NAMED_ENTITY}|identifier|value
#T_SP=webanno.custom.Host|ROLE_webanno.custom.Host:of_webanno.custom.HostOfLink|{NAMED_ENTITY}|kind
#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceRelation|referenceType
#T_RL=webanno.custom.Relation|value|BT_{NAMED_ENTITY}


#Sentence.id=s1
#Text=Mother 😷 had
#Text=renal failure.
1-1\t0-6\tMother\tNN\t*\t*\tPERSON\t_\t_\t_\t*->1-1\t*[1]\t_\t_\t
1-2\t7-9\t😷\tSYM\t*\t_\t_\t_\t_\t_\t_\t_\t_\t_\t
1-3\t10-13\thad\tVB\t*\t_\t_\thas;has\t1-4[1];1-1\tx\t_\t_\t_\t_\t
1-4\t14-19\trenal\tJJ\t*\thttp://x/1\\_2[1]|*[2]\tDISEASE[1]|*[2]\t_\t_\t_\t_\t_\tof\t1-1[0_1]\t
1-5\t20-27\tfailure\tNN\t*\thttp://x/1\\_2[1]\tDISEASE[1]\t_\t_\t_\t_\t_\t_\t_\t
1-5.1\t20-24\tfail\t_\t_\thttp://x/\\*\tDISEASE\t_\t_\t_\t_\t_\t_\t_\t
1-6\t27-28\t.\t.\t*\t_\t_\t_\t_\t_\t_\t_\t_\t_\t

#Text=Dialysis
2-1\t31-39\tDialysis\tNN\t*\t_\t_\t_\t_\t_\t_\t_\t_\t_\t
"""


def test_an_export_with_relations_chains_and_links_is_read(tmp_path: Path) -> None:
    ignored = (
        "skipped 2 other span layers, 1 chain layers, 1 relation layers, "
        r"1 annotations without a code\.$"
    )
    with pytest.warns(UserWarning, match=ignored):
        corpus = read_file(tmp_path, EXPORT, annotator="mary")
    (note,) = corpus.iter_notes()
    assert note == Note("n1", "n1", text="Mother 😷 had\nrenal failure.\n  Dialysis")
    # Code points: the emoji is one of them.
    assert spans_of(corpus) == [
        ("mary", "DISEASE", "http://x/*", [(19, 23)]),
        ("mary", "DISEASE", "http://x/1_2", [(13, 26)]),
        ("mary", "NamedEntity", "PERSON", [(0, 6)]),
    ]


def test_another_layer_and_its_features_can_be_named(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pos = read_file(tmp_path, EXPORT, layer="POS", code_feature="PosValue", system="PTB")
        host = read_file(tmp_path, EXPORT, layer="webanno.custom.Host")
    assert ("gold", "PTB", "JJ", [(13, 18)]) in spans_of(pos)
    assert len(spans_of(pos)) == 7
    assert spans_of(host) == [("gold", "Host", "x", [(9, 12)])]
    with pytest.raises(OptionError, match=r"There is no span layer 'Hosts'.*webanno.custom.Host"):
        read_file(tmp_path, EXPORT, layer="Hosts")
    with pytest.raises(FormatError, match="has no feature kinds; it has identifier, value"):
        read_file(tmp_path, EXPORT, code_feature="kinds")
    with pytest.raises(FormatError, match=r"which feature .* It has PosValue, coarseValue"):
        read_file(tmp_path, EXPORT, layer="POS")


def test_a_single_layer_with_other_features_keeps_them(tmp_path: Path) -> None:
    corpus = read_file(
        tmp_path,
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Finding|value|certainty|score\n\n\n"
        "#Text=Fever\n1-1\t0-5\tFever\tR50.9\tlow\thigh\t\n",
    )
    assert list(corpus.iter_annotations()) == [
        Annotation(
            "gold",
            Code("Finding", "R50.9"),
            "n1",
            "n1",
            (Span(0, 5),),
            meta={"certainty": "low", "score": "high"},
        )
    ]


def test_two_candidate_layers_are_not_guessed_between(tmp_path: Path) -> None:
    header = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.A|value\n#T_SP=custom.B|value\n\n\n"
    with pytest.raises(FormatError, match=r"codes: custom.A, custom.B. Choose one with --layer"):
        read_file(tmp_path, header + "#Text=x\n1-1\t0-1\tx\t_\t_\t\n")


def test_a_project_export_has_a_folder_a_note_and_a_file_an_annotator(tmp_path: Path) -> None:
    def content(value: str) -> str:
        return (
            f"#FORMAT=WebAnno TSV 3.3\n#T_SP={NAMED_ENTITY}|value\n\n\n"
            f"#Text=Fever\n1-1\t0-5\tFever\t{value}\t\n"
        )

    for name, value in {
        "annotation/note 1.txt/ann.tsv": "A",
        "annotation/note 1.txt/ben.tsv": "B",
        "annotation/note 1.txt/INITIAL_CAS.tsv": "no",
        "annotation/note 2.tsv/INITIAL_CAS.tsv": "I",
        "curation/note 1.txt/CURATION_USER.tsv": "C",
        "source/note 1.tsv": "no",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content(value))
    corpus = formats.read("webanno", tmp_path)
    assert [note.note_id for note in corpus.iter_notes()] == ["note 1", "note 2"]
    assert [(a.annotator, a.code.value, a.note_id) for a in corpus.iter_annotations()] == [
        ("ann", "A", "note 1"),
        ("ben", "B", "note 1"),
        ("INITIAL_CAS", "I", "note 2"),
        ("CURATION_USER", "C", "note 1"),
    ]
    changed = tmp_path / "annotation/note 1.txt/ben.tsv"
    changed.write_text(content("B").replace("Fever", "Favor"))
    with pytest.raises(FormatError, match=r"ben\.tsv: its text differs .* of note of 6 characters"):
        formats.read("webanno", tmp_path)


def test_older_versions_escape_text_as_java_does(tmp_path: Path) -> None:
    line = '#Text=\\u00e9 \\uD83D\\uDE0A \\"q\\"\n1-1\t0-1\té\t_\t\n1-2\t2-4\t😊\tX\t\n'
    content = f"#FORMAT=WebAnno TSV 3.1\n#T_SP={NAMED_ENTITY}|value\n\n\n{line}"
    corpus = read_file(tmp_path, content)
    assert [note.text for note in corpus.iter_notes()] == ['é 😊 "q"']
    assert [span for *_, span in spans_of(corpus)] == [[(2, 3)]]


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    content = "\ufeff" + EXPORT.replace("\n", "\r\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = read_file(tmp_path, EXPORT)
        assert differences(plain, read_file(tmp_path, content)) == []


def test_a_sentence_may_begin_before_its_first_token(tmp_path: Path) -> None:
    header = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={NAMED_ENTITY}|value\n\n\n"
    body = "#Text=One\n1-1\t0-3\tOne\t_\t\n\n#Text=  Two\n2-1\t6-9\tTwo\tX\t\n"
    corpus = read_file(tmp_path, header + body)
    assert [note.text for note in corpus.iter_notes()] == ["One\n  Two"]


HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.A|code|system\n\n\n"
HEART = HEAD + "#Text=🫀 x\n1-1\t0-2\t🫀\t_\t_\t\n"
X = "#Text=x\n1-1\t0-1\tx\t"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "row 1: must begin with #FORMAT=WebAnno TSV 3.3"),
        ("#FORMAT=WebAnno TSV 2.0\n", "row 1: must begin with"),
        ("#FORMAT=WebAnno TSV 3.3\n#T_XX=a|b\n", "row 2: a layer must be declared as"),
        (HEAD + "1-1\t0-1\tx\t_\t_\t\n", "row 5: tokens without a preceding #Text= line"),
        (HEAD + "#Text=x\n1-1\t0-1\tx\n", "row 6: 3 columns; the header declares 5"),
        (HEAD + "#Text=x\nx\t0-1\tx\t_\t_\t\n", "row 6: a row must begin with sentence and token"),
        (HEAD + "#Text=x\n1-1\t0:1\tx\t_\t_\t\n", "row 6: the second column must be offsets"),
        (HEAD + "#Text=x\n1-1\t0-2\tx\t_\t_\t\n", "row 6: Offset 2 (utf16) is outside"),
        (HEART + "1-2\t1-3\tx\t_\t_\t\n", "row 7: Offset 1 (utf16) is in the middle"),
        (HEART + "1-2\t2-3\tx\t_\t_\t\n", "row 7: the text at 2-3 of the sentence differs"),
        (HEART + "1-2\t4-3\tx\t_\t_\t\n", "row 7: A span runs from begin to end"),
        (HEAD + X + "a[1]|b[2]\ts[1]\t\n", "row 6: the columns of layer custom.A have different"),
        (HEAD + X + "a[1]|b[2]\ts[2]|t[1]\t\n", "row 6: the columns of layer custom.A are stacked"),
        (HEAD + "#Text=x\n\n", "row 6: the sentence has no tokens"),
        (
            HEAD + X + "_\t_\t\n\n" + X + "_\t_\t\n",
            "row 9: the sentence begins at 0, before the previous one",
        ),
        (HEAD + "#Text=x\0\n", "row 5: contains a NUL character"),
    ],
)
def test_malformed_files_are_named_with_the_row(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_file(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'n1.tsv'} {problem}")


def test_a_folder_without_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no \*\.tsv file in the folder$"):
        formats.read("webanno", tmp_path)
    (tmp_path / "annotation").mkdir()
    (tmp_path / "annotation" / "ann.zip").touch()
    with pytest.raises(FormatError, match=r"unpack the \*\.zip files in it first"):
        formats.read("webanno", tmp_path)


@pytest.mark.real
def test_real_cases_come_back(shared_data: Path, tmp_path: Path) -> None:
    # Two of the spans end in a space; the empty ones stand at a word and are kept.
    corpus = formats.read("codiesp", shared_data / "codiesp" / "dev")
    codes = corpus.lazy_annotations.filter(pl.col("spans").list.len() > 0)
    evidence = replace(corpus, lazy_all_annotations=codes)
    losses = formats.write("webanno", evidence, tmp_path / "out")
    assert losses == [
        Loss(
            "annotations.spans",
            "spans that begin or end in white space",
            2,
            "moved to the nearest word",
        )
    ]
    assert differences(evidence, formats.read("webanno", tmp_path / "out")) == [
        f"annotations: spans differs in 2 of {codes.collect().height}"
    ]


def test_errors_show_no_text(tmp_path: Path) -> None:
    for wrong in ("1-4\t15-19", "1-4\t14-99", "1-4\trenal"):
        with pytest.raises(FormatError) as caught:
            read_file(tmp_path, EXPORT.replace("1-4\t14-19", wrong))
        assert "renal" not in str(caught.value)
