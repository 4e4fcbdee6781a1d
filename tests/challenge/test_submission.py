"""Reading and checking submissions: every problem, on its line, all at once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.challenge.submission import CheckedSubmission, ProblemKind, check, read, read_file
from auscult.challenge.submission.read import LARGEST
from auscult.challenge.submission.read_xml import schema_text
from auscult.core import Code, OptionError

CHARTS = ["1", "2", "3"]
CODES = [Code("ICD-9-CM", "786.2"), Code("ICD-9-CM", "780.6")]


def checked(text: str, form: str) -> CheckedSubmission:
    return check(read(text.encode(), f"run.{form}"), CHARTS, CODES)


def found(text: str, form: str) -> list[tuple[str, int | None]]:
    return [(problem.kind.value, problem.row) for problem in checked(text, form).problems]


def answers(text: str, form: str) -> dict[str, set[str]]:
    return {c: {code.value for code in said} for c, said in checked(text, form).answers.items()}


GOOD = {
    "xml": '<docs><doc id="1"><codes><code origin="x" type="ICD-9-CM">786.2</code><code origin="x">'
    ' 780.6 </code></codes><texts><text>Any.</text></texts></doc><doc id="2"/>'
    '<doc id="3" type="CR"><codes/></doc></docs>',
    "csv": "document,code\n1,786.2\n1,780.6\n2,\n3,\n",
    "json": '{"1": ["786.2", "780.6"], "2": [], "3": []}',
}


@pytest.mark.parametrize("form", GOOD)
def test_three_forms_of_one_submission(form: str) -> None:
    one = checked(GOOD[form], form)
    assert one.problems == ()
    assert one.is_valid
    assert (one.charts, one.codes) == (3, 2)
    assert answers(GOOD[form], form) == {"1": {"786.2", "780.6"}, "2": set(), "3": set()}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("csv", "ID,Codes\n1,786.2;780.6\n2,\n3,"),
        ("csv", '\ufeff"note_id","text","code"\r\n"1","a, b\r\nc",786.2\r\n1,,780.6\r\n'
                "2,,\r\n3,,\r\n"),
        ("json", '[{"id": "1", "codes": ["786.2", "780.6"]}, {"codes": [], "id": "2"}, '
                 '{"id": "3", "codes": []}]'),
        ("xml", GOOD["xml"].replace("<docs>", '<docs xmlns:xsi="http://www.w3.org/2001/XMLSchema-'
                                    'instance" xsi:noNamespaceSchemaLocation="mine.xsd">')),
        ("csv", "document;code\n1;786.2\n1;780.6\n2;\n3;\n"),
        ("csv", '"id";"codes"\n1;"786.2;780.6"\n2;\n3;\n'),
        ("csv", "document\tcode\n1\t786.2;780.6\n2\t\n3\t\n"),
        ("txt", GOOD["xml"]), ("txt", GOOD["json"]), ("txt", GOOD["csv"]),
    ],
)  # fmt: skip
def test_other_ways_to_say_it(form: str, text: str) -> None:
    assert checked(text, form).problems == ()
    assert answers(text, form) == {"1": {"786.2", "780.6"}, "2": set(), "3": set()}


def test_xml_with_everything_wrong_at_once() -> None:
    text = """<docs>
<doc id="1"><codes><code origin="a">786.2</code><code origin="b">786.2</code></codes></doc>
<doc id="1"><codes><code> </code><kode/></codes></doc>
<doc><codes extra="1"/></doc>
<doc id="9"><codes><code>7862</code></codes></doc>
<dog/>
</docs>
<docs/>"""
    assert found(text, "xml") == [
        ("duplicate code", 2),
        ("several origins", 2),
        ("wrong shape", 3),  # an empty code
        ("wrong shape", 3),  # <kode>
        ("duplicate document", 3),
        ("wrong shape", 4),  # no id
        ("wrong shape", 4),  # an attribute that is none
        ("unknown document", 5),
        ("code outside the label set", 5),
        ("wrong shape", 6),
        ("two roots", 8),
        ("missing document", None),
        ("missing document", None),
    ]
    assert "write 786.2" in str(next(p for p in checked(text, "xml").problems if p.row == 5
                                     and p.kind is ProblemKind.OUTSIDE))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind", "row"),
    [
        ("<documents/>", "wrong root", 1),
        ("", "unreadable", 1),
        ("<docs>\n<doc id='1'></docs>", "unreadable", 2),
        ('<!DOCTYPE docs [\n<!ENTITY a "b">]><docs>&a;</docs>', "entity", 2),
        ('<!DOCTYPE docs [<!ENTITY a SYSTEM "file:///etc/passwd">]><docs>&a;</docs>', "entity", 1),
        ("<docs>\n" + "<doc>" * 5000 + "</doc>" * 5000 + "</docs>", "wrong shape", 1),
        ('<docs xmlns="http://elsewhere"/>', "wrong shape", 1),
    ],
)
def test_xml_that_cannot_be_read(text: str, kind: str, row: int) -> None:
    assert found(text, "xml") == [(kind, row)]
    assert not checked(text, "xml").is_readable


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE docs [<!ENTITY a "' + "x" * 100 + '">'
    for n in range(12):
        bomb += f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 20}">'
    assert found(f"{bomb}]><docs>&m;</docs>", "xml") == [("entity", 1)]


def test_csv_with_everything_wrong_at_once() -> None:
    text = "document,code\n1,786.2\n1,786.2\n2,999\n\n8,\n2\n,780.6\n"
    assert found(text, "csv") == [
        ("duplicate code", 3),
        ("code outside the label set", 4),
        ("unknown document", 6),
        ("wrong shape", 7),
        ("wrong shape", 8),
        ("missing document", None),
    ]
    assert found("a;b\n1;786.2", "csv") == [("wrong root", 1)]
    assert found('document,code\n1,786.2\n2,"78', "csv")[0] == ("unreadable", 3)
    assert found("", "csv") == [("wrong root", 1)]


def test_json_with_everything_wrong_at_once() -> None:
    text = '{"1": ["786.2"],\n"1": [],\n"2": ["786.2", 786.2,\n"", "x"],\n"3": "786.2", "8": []}'
    assert found(text, "json") == [
        ("duplicate document", 2),
        ("wrong shape", 3),
        ("wrong shape", 4),
        ("code outside the label set", 4),
        ("wrong shape", 5),
        ("unknown document", 5),
    ]
    assert found('[{"id": "1"},\n{"codes": []},\n7]', "json")[:3] == [
        ("wrong shape", 1), ("wrong shape", 2), ("wrong shape", 3),
    ]  # fmt: skip
    assert found("7", "json") == [("wrong root", 1)]
    assert found('{"1": [}', "json") == [("unreadable", 1)]


def test_the_wrong_columns_are_said() -> None:
    (problem,) = checked("document|code\n1|786.2\n", "csv").problems
    assert problem.says.endswith("separated by commas; it has 1 columns but no document")
    (problem,) = checked("document,kode\n1,786.2\n", "csv").problems
    assert problem.says.endswith("it has 2 columns but no code")


@pytest.mark.parametrize("name", ["ICD-9-CM", "icd9", "ICD9CM", "ICD-9"])
def test_a_code_system_may_be_written_in_several_ways(name: str) -> None:
    assert checked(GOOD["xml"].replace("ICD-9-CM", name), "xml").problems == ()


def test_codes_of_another_system_are_remarked() -> None:
    one = checked(GOOD["xml"].replace("ICD-9-CM", "ICD-10-CM"), "xml")
    assert [(p.kind, p.row, p.is_error) for p in one.problems] == [(ProblemKind.SYSTEM, 1, False)]
    assert one.problems[0].says == (
        "1 codes of ICD-9-CM are labeled 'ICD-10-CM'; counted as ICD-9-CM"
    )
    assert one.codes == 2


def test_nothing_of_the_test_set_is_an_error_of_its_own() -> None:
    assert found("document,code\n7,786.2", "csv") == [
        ("unknown document", 2),
        ("no document of the test set", None),
    ]


def test_files_that_are_packed_or_too_large(tmp_path: Path) -> None:
    packed, large = tmp_path / "run.xml.gz", tmp_path / "run.csv"
    packed.write_bytes(gzip.compress(GOOD["xml"].encode()))
    large.write_bytes(b"x" * (LARGEST + 1))
    for file, says in ((packed, "the file is compressed; unpack it"), (large, "larger than")):
        (problem,) = read_file(file)[1].problems
        assert says in str(problem)
    with pytest.raises(OptionError, match="cannot be read: No such file"):
        read_file(tmp_path / "none.xml")


def test_what_is_said_quotes_no_text() -> None:
    secret = "Mrs Smith of 12 Elm Street has a cough"
    for form, text in (
        ("xml", f'<docs><doc id="{secret}"><codes><code>{secret}</code></codes></doc>'
                f'<doc id="1" {"x" * 50}="1"/></docs>'),
        ("csv", f"document,code\n{secret},{secret}\n"),
        ("json", json.dumps({secret: [secret], "1": secret})),
    ):  # fmt: skip
        for problem in checked(text, form).problems:
            assert "Elm" not in str(problem)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["xml", "csv", "json"]), st.data())
def test_whatever_comes_is_a_list_of_problems(form: str, data: st.DataObject) -> None:
    good = GOOD[form].encode()
    at = data.draw(st.integers(0, len(good)))
    length = data.draw(st.integers(0, 12))
    put = data.draw(
        st.binary(max_size=12) | st.sampled_from([b"]", b"<docs>", b'"', b"\n", b"&a;"])
    )
    one = check(read(good[:at] + put + good[at + length :], f"run.{form}"), CHARTS, CODES)
    assert set(one.answers) <= set(CHARTS)
    assert all(str(problem) for problem in one.problems)


def test_the_schema_says_by_itself_what_it_can() -> None:
    schema = xmlschema.XMLSchema(schema_text())
    assert schema.is_valid(GOOD["xml"])
    for wrong in ('<docs><doc id="1"/><doc id="1"/></docs>', "<docs><doc/></docs>", "<doc/>",
                  '<docs><doc id=" "/></docs>'):  # fmt: skip
        assert not schema.is_valid(wrong)
