"""The projects a workbench has when it is first opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from auscult.corpus import Corpus
from auscult.server.access import Role
from auscult.server.audit import Action, record
from auscult.server.database.tables import project
from auscult.server.preannotate.choice import default_choice, named_choice
from auscult.server.projects.assign import assign_all
from auscult.server.projects.create import DEFAULT_SYSTEMS, Schema, create_project
from auscult.server.projects.members import set_member
from auscult.server.projects.sample import make_samples
from auscult.server.server import Server


def first_project(
    server: Server,
    corpus: Path | None,
    systems: Sequence[str] | None,
    pre_annotators: Sequence[str],
    pre_annotate: str | None = None,
) -> int | None:
    """Make a project of a corpus, unless it is there, or samples where there is no project.

    `pre_annotate` names a model, or none; of a project that is there it changes just that.
    """
    one = server.one
    with server.database.reading() as connection:
        is_empty = connection.execute(sa.select(project.c.id).limit(1)).first() is None
    if corpus is None:
        if not is_empty or one is None:
            return None
        return make_samples(server.database, server.settings.folder, one.id)
    opened = Corpus.open(corpus)
    chosen = None if pre_annotate is None else named_choice(pre_annotate)
    with server.database.writing() as connection:
        same = sa.select(project.c.id).where(project.c.name == opened.manifest.name)
        found = connection.execute(same).scalar()
        if found is not None:
            if pre_annotate is not None:
                of_it = sa.update(project).where(project.c.id == found)
                connection.execute(of_it.values(pre_annotator=chosen))
            return int(found)
        schema = Schema(opened.manifest.name, tuple(systems or _systems(opened)))
        if pre_annotate is None:
            chosen = default_choice(schema.systems, schema.coders_per_chart, pre_annotators)
        schema = replace(schema, pre_annotator=chosen)
        key = create_project(connection, opened, schema, pre_annotators=pre_annotators)
        who = None if one is None else one.id
        record(connection, Action.PROJECT, person=who, project=key, detail="from the command line")
        if one is not None:
            set_member(connection, key, one.id, Role.SUPERVISOR)
            assign_all(connection, key, one.id)
        return key


def _systems(corpus: Corpus) -> list[str]:
    """Those the corpus has codes of, and those that coding usually needs."""
    found = corpus.lazy_annotations.select("system").unique().sort("system").collect()["system"]
    return list(dict.fromkeys([*found.to_list(), *DEFAULT_SYSTEMS]))
