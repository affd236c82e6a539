"""Two snapshots of a study beside each other: what differs in what they rest on, and every figure then and now."""

from collections.abc import Collection, Iterable, Iterator

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.analysis.measuring.figures import MainFigures
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.history.stored_figures import (
    SECTIONS,
    Path,
    StoredFigure,
    figures_in,
    in_other_forms,
)
from annotation_platform.analysis.sections.history.table_rows import ComparedRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.rows import Estimate
from annotation_platform.analysis.tables.words import change_heading, with_commas
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.text import format_numbers, typed_number
from annotation_platform.scoring.methods import method_title
from annotation_platform.scoring.models import Method
from annotation_platform.studies.models import Study

ALPHA = gettext_noop("Krippendorff α")
MAIN_FIGURES = (
    gettext_noop("{differing:,} of {n:,} main figures differ, in value or interval; {far}."),
    gettext_noop("None of {n:,} main figures has changed."),
)
ALL_FIGURES = (
    gettext_noop("{differing:,} of {n:,} figures differ, in value or interval; {far}."),
    gettext_noop("None of {n:,} figures has changed."),
)


def snapshots_of(study: Study) -> QuerySet[AgreementSnapshot]:
    """Every snapshot of a study, the one that was measured last first, without its figures."""
    return AgreementSnapshot.objects.filter(study=study).order_by("-measured_at", "-pk")


def snapshot_for(study: Study, pk: str | None) -> AgreementSnapshot:
    """One snapshot of a study by its key, as the address gives it.

    Raises
    ------
    NotThereError
        When there is none.
    """
    found = snapshots_of(study).filter(pk=typed_number(pk) or 0).first()
    if found is None:
        raise NotThereError("analysis.no_snapshot")
    return found


def before(snapshot: AgreementSnapshot) -> AgreementSnapshot | None:
    """The snapshot that was measured before this one."""
    return snapshots_of(snapshot.study).filter(measured_at__lt=snapshot.measured_at).first()


def what_differs(then: AgreementSnapshot, now: AgreementSnapshot) -> list[str]:
    """What the two rest on, where it is not the same: scheme, data, runs, code, resampling. Empty: all is the same."""
    old, new = then.head, now.head
    found = []
    if old.data.scheme != new.data.scheme:
        found.append(_("The scheme was {then} and is {now}.").format(then=old.scheme, now=new.scheme))
    if added := [number for number in new.batches if number not in old.batches]:
        closed = ngettext("Batch {batches} closed in between.", "Batches {batches} closed in between.", len(added))
        found.append(closed.format(batches=format_numbers(added)))
    if removed := [number for number in old.batches if number not in new.batches]:
        counted = ngettext(
            "Batch {batches} counted then and not now.", "Batches {batches} counted then and not now.", len(removed)
        )
        found.append(counted.format(batches=format_numbers(removed)))
    for said, was, is_now in (
        (_("Judgments: {then:,} then, {now:,} now."), old.counts.judgments, new.counts.judgments),
        (_("Items: {then:,} then, {now:,} now."), old.counts.items, new.counts.items),
        (_("Annotators: {then:,} then, {now:,} now."), old.counts.annotators, new.counts.annotators),
    ):
        if was != is_now:
            found.append(said.format(then=was, now=is_now))
    found += _runs_that_differ(then, now)
    if others := _read_otherwise(then, now):
        found.append(_("What was read is not the same for: {names}.").format(names=with_commas(others)))
    if others := _not_compared(then, now):
        said = _("Not compared, since the two have them in different forms: {names}.")
        found.append(said.format(names=with_commas([_(SECTIONS.get(key, key)) for key in others])))
    if then.code_version != now.code_version:
        by = _("Computed by version {then} then and {now} now.")
        found.append(by.format(then=then.code_version, now=now.code_version))
    for said, was, is_now in (
        (_("Intervals: seed {then} then, {now} now."), old.intervals.seed, new.intervals.seed),
        (_("Intervals: resamples {then} then, {now} now."), old.intervals.resamples, new.intervals.resamples),
    ):
        if was != is_now:
            found.append(said.format(then=was, now=is_now))
    return found


def _runs_that_differ(then: AgreementSnapshot, now: AgreementSnapshot) -> Iterator[str]:
    """The run that gave the scores, and of every method those that count, where both wrote these down."""
    scored = [_scored_by(snapshot) for snapshot in (then, now)]
    if scored[0] != scored[1]:
        yield _("The scores were {then} and are {now}.").format(then=scored[0], now=scored[1])
    if then.runs is None or now.runs is None:
        return
    for method in dict.fromkeys([*then.runs, *now.runs]):
        old, new = then.runs.get(method, []), now.runs.get(method, [])
        if old != new and (method != Method.EBR or scored[0] == scored[1]):
            said = _("{method}: {then} then, {now} now.")
            yield said.format(method=method_title(method), then=_numbered(old), now=_numbered(new))


def _read_otherwise(then: AgreementSnapshot, now: AgreementSnapshot) -> list[str]:
    """The aspects, and the sections about the study as a whole, for which the digests of what was read differ."""
    titles = {aspect.aspect: aspect.title for aspect in (*then.head.aspects, *now.head.aspects)}
    old, new = then.head.data, now.head.data
    return [
        _(names.get(key, key))
        for names, was, is_now in ((titles, old.judgments_sha256, new.judgments_sha256), (SECTIONS, old.read, new.read))
        for key, digest in is_now.items()
        if digest != was.get(key, digest)
    ]


def headline_table(then: AgreementSnapshot, now: AgreementSnapshot) -> FigureTable:
    """α of every aspect and τ of those that are rescaled, then and now; no section is loaded."""
    earlier = {aspect.aspect: _main_figures(aspect) for aspect in then.head.headline.aspects}
    rows: list[ComparedRow] = []
    for aspect in now.head.headline.aspects:
        was = earlier.get(aspect.aspect, {})
        for name, figure in _main_figures(aspect).items():
            if name == ALPHA or aspect.is_rescaled:
                rows += _rows((aspect.title, _(name)), was.get(name), figure)
    return _table(rows, rows, _("Main figures, then and now"), MAIN_FIGURES)


def _main_figures(aspect: MainFigures) -> dict[str, StoredFigure | None]:
    figures = {ALPHA: aspect.alpha, "τ": aspect.raw, gettext_noop("τ, rescaled"): aspect.rescaled}
    return {
        name: None if figure is None else StoredFigure(figure.value, figure.interval)
        for name, figure in figures.items()
    }


def compared_table(then: AgreementSnapshot, now: AgreementSnapshot, aspect: str) -> FigureTable:
    """The figures of one aspect and of the study as a whole that differ; those that are new or gone come last.

    None of sections that the two have in different forms: a figure can stand elsewhere there, or be another one.

    Raises
    ------
    NotThereError
        When one of the two has no such aspect.
    """
    others = _not_compared(then, now)
    old, new = (_figures(one, aspect, without=others) for one in (then, now))
    rows: list[ComparedRow] = []
    for path in dict.fromkeys([*new, *old]):
        section, *names = path
        rows += _rows([_(section), *names], old.get(path), new.get(path))
    differing = [row for row in rows if row.remark or row.differs]
    differing.sort(key=lambda row: row.change is None)
    return _table(rows, differing, _("Figures that differ, then and now"), ALL_FIGURES)


def _not_compared(then: AgreementSnapshot, now: AgreementSnapshot) -> list[str]:
    """The sections that both have, in different forms, in the order in which they are told."""
    others = in_other_forms(then.head.versions, now.head.versions)
    there = set(then.sections.filter(key__in=others).values_list("key", flat=True))
    both = there & set(now.sections.filter(key__in=others).values_list("key", flat=True))
    return [*filter(both.__contains__, SECTIONS), *sorted(both - SECTIONS.keys())]


def _figures(snapshot: AgreementSnapshot, aspect: str, without: Collection[str]) -> dict[Path, StoredFigure]:
    if snapshot.head.aspect(aspect) is None:
        raise NotThereError("analysis.no_aspect")
    stored = snapshot.sections.filter(aspect__in={"", aspect}).exclude(key__in=without)
    return dict(figures_in(dict(stored.values_list("key", "figures")), aspect))


def _rows(path: Iterable[str], then: StoredFigure | None, now: StoredFigure | None) -> list[ComparedRow]:
    """A row, or none where neither has a value. A change is marked where the interval of then leaves out now."""
    was, is_now = then and then.value, now and now.value
    if was is None and is_now is None:
        return []
    before, after = (Estimate(each.value, *(each.interval or ())) if each else Estimate() for each in (then, now))
    change = None if was is None or is_now is None else is_now - was
    remark = ""
    if was is None:
        remark = _("not defined then") if then else _("new")
    elif is_now is None:
        remark = _("not defined any more") if now else _("not there any more")
    elif change and before.low is not None and before.high is not None and not before.low <= is_now <= before.high:
        remark = _("beyond the interval of then")
    return [ComparedRow(figure=" · ".join(path), then=before, now=after, change=change, remark=remark)]


def _table(rows: list[ComparedRow], shown: list[ComparedRow], title: str, says: tuple[str, str]) -> FigureTable:
    """``rows`` are all that were compared, ``shown`` those that the table lists; ``says`` how many have changed, and
    that none has."""
    differing = sum(row.differs for row in rows)
    beyond = sum(bool(row.remark) for row in rows)
    far = _("none lies beyond its interval of then")
    if beyond:
        far = _("{n} of them lie beyond the interval of then, are new, or are gone").format(n=beyond)
    return FigureTable(
        name="compared",
        title=title,
        reading=_(says[0] if differing else says[1]).format(differing=differing, n=len(rows), far=far),
        columns=[
            Column("figure", _("Figure")),
            Column("then", _("Then"), "value", True),
            Column("now", _("Now"), "value", True),
            Column("change", change_heading(), "value"),
            Column("remark", _("Remark")),
        ],
        rows=shown,
    )


def _numbered(runs: list[int]) -> str:
    if not runs:
        return _("no run")
    return ngettext("run {runs}", "runs {runs}", len(runs)).format(runs=with_commas([*map(str, runs)]))


def _scored_by(snapshot: AgreementSnapshot) -> str:
    run = snapshot.head.run
    if run is None or not snapshot.is_rescaled:
        return _("not there yet") if snapshot.is_rescaled else _("not asked for")
    said = _("those of run {run}, {scores} ({signature})")
    return said.format(run=snapshot.head.data.run, scores=snapshot.scores, signature=run.signature[:8])
