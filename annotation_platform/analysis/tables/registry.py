"""A snapshot's figures as tables, by name: those of every topic.

A table says which sections of the snapshot it needs, so that pages load these and no others. Its name stands in the
address of its CSV file; a chart's name is its table's, or begins with it and a hyphen.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.topics import collected
from annotation_platform.core.errors import NotThereError

__all__ = ["TABLES", "FigureTable", "TableOf", "TableRequest", "ask", "needs_of", "table_named", "tables_of"]

TABLES: dict[str, TableOf] = collected("tables", "TABLES")


def table_named(name: str) -> str:
    """The table that a chart belongs to, or that has this name itself.

    Raises
    ------
    NotThereError
        When there is none.
    """
    found = name
    while found not in TABLES:
        found, hyphen, _ = found.rpartition("-")
        if not hyphen:
            raise NotThereError("analysis.no_chart")
    return found


def ask(
    snapshot: AgreementSnapshot,
    aspect: str,
    names: Iterable[str],
    parameters: Mapping[str, str] | None = None,
    *,
    sections: Iterable[str] = (),
) -> TableRequest:
    """What these tables need, and ``sections`` besides, in one query."""
    if (head := snapshot.head.aspect(aspect)) is None:
        raise NotThereError("analysis.no_aspect")
    asked = TableRequest(snapshot, head, {}, parameters or {})
    needs = set(sections) | {key for name in names for key in needs_of(name, asked)}
    return replace(asked, figures=sections_of(snapshot, needs, aspect=aspect))


def needs_of(name: str, asked: TableRequest) -> tuple[str, ...]:
    return tuple(key.format(pairs=asked.pairs, pairs_of_setting=asked.pairs_of_setting) for key in TABLES[name].needs)


def tables_of(asked: TableRequest, names: Iterable[str]) -> dict[str, FigureTable]:
    """Those of these tables that have something to show; one whose sections the snapshot lacks has not."""
    found = {}
    for name in names:
        needs = needs_of(name, asked)
        if all(key in asked.figures for key in needs) and (table := TABLES[name].build(asked)) is not None:
            found[name] = replace(table, needs=needs)
    return found
