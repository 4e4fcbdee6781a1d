"""Where the concepts of a vocabulary come from, one module each.

A source is opened by what it is: a folder with MRCONSO.RRF, a file that ends in .obo, .csv or .tsv,
or the name of what a package carries: `hpo`, `icd-9-cm`, `icd-9-pcs`, `icd-10-cm`, `icd-10-pcs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from auscult.codes.concept import Concept, Synonym
from auscult.codes.exclusions import Exclusions
from auscult.codes.systems import is_cui_less
from auscult.core import Code, OptionError
from auscult.core.names import require_known

PACKAGED = ("hpo", "icd-9-cm", "icd-9-pcs", "icd-10-cm", "icd-10-pcs")
_KINDS = (
    "A source is a folder with MRCONSO.RRF, an .obo, .csv or .tsv file, or one of "
    f"{', '.join(PACKAGED)}."
)


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What to take from a source; each source looks at what concerns it.

    `sources`, `languages` and `suppressed` choose among the rows of UMLS. `columns` names the
    columns of a table that are called otherwise than expected, `system` the code system of a
    source that does not say.
    """

    sources: tuple[str, ...] = ()
    languages: tuple[str, ...] = ("ENG",)
    suppressed: bool = False
    system: str | None = None
    columns: dict[str, str] = field(default_factory=dict)


def read(source: str | Path, options: SourceOptions, exclusions: Exclusions) -> Iterator[Concept]:
    """The concepts of a source, as a stream; what it cannot give is counted in `exclusions`."""
    named = str(source).lower()
    path = Path(source)
    if named in PACKAGED and not path.exists():
        if named == "hpo":
            from auscult.codes.sources import hpo

            return hpo.read(exclusions)
        from auscult.codes.sources import icd

        return icd.read(named.upper())
    if not path.exists():
        raise OptionError(f"{source} does not exist. {_KINDS}")
    if path.is_dir() or path.name.upper().startswith("MRCONSO"):
        from auscult.codes.sources import umls_rrf

        return umls_rrf.read(path, options)
    suffix = next((s for s in reversed(path.suffixes) if s != ".gz"), "").lower()
    if suffix not in (".obo", ".csv", ".tsv"):
        raise OptionError(f"{source} is not a supported vocabulary source. {_KINDS}")
    if suffix == ".obo":
        from auscult.codes.sources import obo

        return obo.read(path, exclusions, system=options.system)
    from auscult.codes.sources import delimited

    return delimited.read(path, options, exclusions)


def keyed_by(concepts: Iterable[Concept], system: str, exclusions: Exclusions) -> Iterator[Concept]:
    """The concepts under their cross-references to another system, such as UMLS.

    A concept with several cross-references is given under each. One with none is left out, and
    when all are, the system is one that nothing refers to.
    """
    seen: set[str] = set()
    for concept in concepts:
        seen.update(code.system for code in (concept.code, *concept.xrefs))
        codes = [code for code in concept.xrefs if code.system == system]
        if concept.code.system == system:
            codes = [concept.code]
        if not codes:
            exclusions.add(f"concepts without a cross-reference to {system}", str(concept.code))
        for code in codes:
            others = tuple(c for c in (concept.code, *concept.xrefs) if c != code)
            yield Concept(code, concept.name, concept.synonyms, concept.types, others)
    if seen:
        require_known(system, seen, "cross-reference to")


def from_strings(uses: Iterable[tuple[str, Code]], source: str = "corpus") -> list[Concept]:
    """The strings that a corpus was annotated with, as concepts whose synonyms have counts.

    Strings that no concept was found to fit are left out.
    """
    counts: dict[Code, Counter[str]] = {}
    for text, code in uses:
        if not is_cui_less(code.value):
            counts.setdefault(code, Counter())[" ".join(text.split())] += 1
    found = []
    for code in sorted(counts):
        ranked = sorted(counts[code].items(), key=lambda item: (-item[1], item[0]))
        synonyms = tuple(Synonym(text, source, "", count) for text, count in ranked if text)
        if synonyms:
            found.append(Concept(code, synonyms[0].text, synonyms))
    return found
