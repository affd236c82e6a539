"""Which snapshot is asked for, which of its sections, and the tables behind one."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from rest_framework.request import Request

from annotation_platform.analysis.measuring.figures import AspectHead, SectionFigures
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.sections.history.comparison import before, snapshot_for, snapshots_of
from annotation_platform.analysis.sections.planning.figures import PILOT
from annotation_platform.analysis.sections.planning.own import own_design
from annotation_platform.analysis.snapshots.stored import FIGURES, latest_snapshot, of_another_version
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.analysis.tables.registry import TABLES, ask, needs_of, tables_of
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.api.figures.serializers import told_figures
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Study


def asked_snapshot(request: Request, study: Study) -> AgreementSnapshot:
    """The one that ``?snapshot=`` names, else the newest.

    Raises
    ------
    NotThereError
        When there is none.
    """
    named = request.query_params.get("snapshot")
    if named is not None:
        found = snapshot_for(study, named if len(named) < 19 else None)
    elif (newest := latest_snapshot(study)) is None:
        raise NotThereError("analysis.no_figures")
    else:
        found = newest
    found.study = study
    return found


def one_snapshot(study: Study, pk: int) -> AgreementSnapshot:
    found = snapshots_of(study).filter(pk=pk).first()
    if found is None:
        raise NotThereError("analysis.no_snapshot")
    found.study = study
    return found


def other_snapshot(request: Request, snapshot: AgreementSnapshot) -> AgreementSnapshot:
    """The one that ``?with=`` names, else the one that was measured before.

    Raises
    ------
    NotThereError
        When there is none.
    """
    named = request.query_params.get("with")
    if named is not None:
        other = snapshot_for(snapshot.study, named if len(named) < 19 else None)
    elif (earlier := before(snapshot)) is None:
        raise NotThereError("api.no_snapshot_before", number=snapshot.pk)
    else:
        other = earlier
    other.study = snapshot.study
    return other


def aspects_of_both(then: AgreementSnapshot, now: AgreementSnapshot) -> list[str]:
    """The aspects that two snapshots share, in the later one's order."""
    known = {each.aspect for each in then.head.aspects}
    return [each.aspect for each in now.head.aspects if each.aspect in known]


def sections_there(snapshot: AgreementSnapshot) -> Iterator[tuple[SectionFigures[Any], str, list[str]]]:
    """Every section that a snapshot has in today's form: whether per aspect or study, and the tables made of it."""
    old = of_another_version(snapshot)
    stored: dict[str, bool] = {}
    for key, aspect in SnapshotSection.objects.filter(snapshot=snapshot).order_by().values_list("key", "aspect"):
        stored[key] = stored.get(key, False) or bool(aspect)
    for key, section in FIGURES.items():
        if key in stored and key not in old:
            per = "aspect" if stored[key] else "study"
            yield section, per, [name for name in TABLES if key in _any_needs(name)]


def section_named(snapshot: AgreementSnapshot, key: str) -> SectionFigures[Any]:
    """
    Raises
    ------
    NotThereError
        When the snapshot has no such section, or in another version's form.
    """
    there = {section.key for section, _, _ in sections_there(snapshot)}
    if key not in there:
        raise NotThereError("api.no_section", section=key, known=sorted(there))
    return FIGURES[key]


def figures_told(
    snapshot: AgreementSnapshot, section: SectionFigures[Any], parameters: Mapping[str, str]
) -> list[Mapping[str, Any]]:
    """The figures of a section, of each aspect or of the one that is asked for, with the tables made of them; of
    what is stored for the study as a whole, those of the aspect that is asked for, else of the first.

    Raises
    ------
    NotThereError
        When there is no such aspect.
    InvalidInputError
        When a table cannot be made of what the address says.
    """
    heads = {each.aspect: each for each in snapshot.head.aspects}
    wanted = parameters.get("aspect")
    if wanted is not None and wanted not in heads:
        raise NotThereError("analysis.no_aspect")
    stored = dict(SnapshotSection.objects.filter(snapshot=snapshot, key=section.key).values_list("aspect", "figures"))
    of_study = heads.get(wanted or "") or next(iter(heads.values()), None)
    if section.key == PILOT.key:
        parameters = {**own_design(snapshot.study), **parameters}  # as the page Plan starts
    found = []
    for aspect, figures in sorted(stored.items(), key=lambda each: [*heads].index(each[0]) if each[0] else -1):
        if not aspect or wanted in (None, aspect):
            about = heads.get(aspect) or of_study
            found.append(told_figures(heads.get(aspect), about, figures, _tables(snapshot, about, section, parameters)))
    return found


def _tables(
    snapshot: AgreementSnapshot, head: AspectHead | None, section: SectionFigures[Any], parameters: Mapping[str, str]
) -> dict[str, FigureTable]:
    if head is None:
        return {}
    about = TableRequest(snapshot, head, {}, parameters)
    names = [
        name
        for name, table in TABLES.items()
        if section.key in needs_of(name, about) and (not table.of_one or parameters.get(table.of_one))
    ]
    return tables_of(ask(snapshot, head.aspect, names, parameters), names)


@cache
def _any_needs(name: str) -> frozenset[str]:
    """What a table may be made of, whatever the address says."""
    pairs = {"pairs_cohen_kappa", *(key for key in FIGURES if key.startswith("pairs_"))}
    return frozenset(found for key in TABLES[name].needs for found in ([key] if "{" not in key else pairs))
