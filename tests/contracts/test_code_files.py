"""Damaged files of codes, from tables to vocabularies: an error, or nothing, but no traceback."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.mutations import damage, thorough

from auscult.cli.main import auscult
from auscult.codes import icd9, icd10
from auscult.codes.abbreviations import Abbreviations
from auscult.codes.ccs import read_ccs, read_ccsr
from auscult.codes.exclusions import Exclusions
from auscult.codes.gems import find_gems
from auscult.codes.sources import SourceOptions
from auscult.codes.sources import read as read_source
from auscult.core import Annotation, AuscultError, Code, Note
from auscult.corpus import Corpus

_ROUNDS = 100

_ORDER = "".join(
    f"{number:05} {code:7} {flag} {text:60} {text}\n"
    for number, (code, flag, text) in enumerate(
        [("I50", 0, "Heart failure"), ("I501", 1, "Left failure"), ("I509", 1, "Unspecified")], 1
    )
)
_CCSR = (
    "'ICD-10-CM CODE','ICD-10-CM CODE DESCRIPTION','Default CCSR CATEGORY IP',"
    "'Default CCSR CATEGORY DESCRIPTION IP','CCSR CATEGORY 1','CCSR CATEGORY 1 DESCRIPTION'\n"
    "'I509',\"Heart failure, unspecified\",'CIR019',\"Heart failure\",'CIR019',\"Heart failure\"\n"
)
_CONSO = "C0004096|ENG|P|L1|PF|S1|Y|A1||||MSH|MH|D001249|Asthma|0|N|256|\n" * 3
_STY = "C0004096|T047|B2.2.1.2.1|Disease or Syndrome|AT1|256|\n"
_OBO = (
    "format-version: 1.2\n\n[Term]\nid: HP:0000001\nname: All\n\n[Term]\nid: HP:0002099\n"
    'name: Asthma\nsynonym: "Asthmas" EXACT []\nxref: UMLS:C0004096\nis_a: HP:0000001 ! All\n'
)


def _concepts(path: Path) -> None:
    list(read_source(path, SourceOptions(), Exclusions()))


def _command(*words: str) -> Callable[[Path], None]:
    """A command on a corpus of one note, with the file in the place of FILE."""

    def run(path: Path) -> None:
        corpus, out = path.parent / "corpus", path.parent / "out"
        if not corpus.exists():
            annotation = Annotation("ann", Code("ICD-10-CM", "I10"), "c1")
            Corpus.of([Note("n1", "c1", "p1", text="HTN")], [annotation]).write(corpus)
        given_words = [word.replace("FILE", str(path)) for word in words]
        arguments = ["corpus", given_words[0], str(corpus), str(out), *given_words[1:]]
        done = CliRunner().invoke(auscult, [*arguments, "--overwrite"])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception

    return run


_READERS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "order file": ("order.txt", _ORDER, icd10.read_order_file),
    "descriptions": (
        "dx.txt",
        "4010  Malignant hypertension\n4019  Hypertension\n",
        lambda path: icd9.read_descriptions(path, "ICD-9-CM"),
    ),
    "gems": (
        "2018_I10gem.txt",
        "I10     4010  10000\nI10     4019  10000\nR29700  NoDx  11000\n",
        lambda path: find_gems(path.parent, "ICD-10-CM", "ICD-9-CM"),
    ),
    "ccs": (
        "dxref.csv",
        "note\n'ICD-9-CM CODE','CCS CATEGORY','CCS CATEGORY DESCRIPTION'\n'4019 ','98 ','HTN'\n",
        lambda path: read_ccs(path, "ICD-9-CM"),
    ),
    "ccsr": ("dxccsr.csv", _CCSR, read_ccsr),
    "abbreviations": (
        "short.tsv",
        "# mine\nHTN\thypertension\nUO\turine output\n",
        Abbreviations.read,
    ),
    "csv": ("terms.csv", "id,name,synonyms\nC0004096,Asthma,Asthmas|Reactive airways\n", _concepts),
    "tsv": ("terms.tsv", "id\tname\nC0004096\tAsthma\n", _concepts),
    "obo": ("terms.obo", _OBO, _concepts),
    "conso": ("MRCONSO.RRF", _CONSO, lambda path: _concepts(path.parent)),
    "sty": ("MRSTY.RRF", _STY, lambda path: _concepts(path.parent)),
    "prefer": (
        "prefer.txt",
        "401.9\n4011\n",
        _command("map", "--to", "ICD-9-CM", "--prefer-from", "FILE"),
    ),
    "list": ("list.txt", "c1\nc2\n", _command("split", "--list", "train=FILE")),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", _READERS)
def test_damage_is_an_error_or_nothing(kind: str, tmp_path: Path) -> None:
    name, content, read = _READERS[kind]
    file = tmp_path / name

    def pristine() -> None:
        for left in tmp_path.iterdir():
            if left.name != "corpus":
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        file.write_text(content)
        if kind == "sty":
            (tmp_path / "MRCONSO.RRF").write_text(_CONSO)

    pristine()
    read(file)
    refused = []

    @settings(thorough, max_examples=_ROUNDS, derandomize=True)
    @given(dice=st.randoms(use_true_random=False))
    def read_damaged(dice: random.Random) -> None:
        pristine()
        damage(dice, file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read(file)
            except AuscultError as error:
                refused.append(str(error))

    read_damaged()
    assert len(refused) > _ROUNDS // 25, "damage that nobody notices tests nothing"
