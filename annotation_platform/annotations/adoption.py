"""Moving a study to another version of its scheme, with the judgments made so far."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import ItemShape, Scheme, build_scheme
from annotation_platform.core.schemes.migration import (
    Carried,
    RenamingsError,
    SchemeChanges,
    carry_draft,
    carry_over,
    compare_schemes,
    read_renamings,
    unanswered,
)
from annotation_platform.studies.building import UnfitCorpusError
from annotation_platform.studies.models import Assignment, SchemeVersion, Study
from annotation_platform.studies.selectors import fit_of, item_shapes
from annotation_platform.studies.services import freeze_scheme

CHUNK = 1000


@dataclass(frozen=True)
class Adoption:
    """What adopting a version did, or would do."""

    version: str
    changes: SchemeChanges
    judgments: int
    """Current judgments before."""
    whole: int
    """Of these: carried over with all they said …"""
    partly: int
    """… carried over with a part of it …"""
    left: int
    """… and those of which nothing fits: they stay under the old version and count no more."""
    incomplete: int
    """Carried over, but the new version requires an answer that they do not have."""
    earlier_rules: int
    """Carried over with an answer that the new version would not accept today; it is kept, and marked."""
    drafts: int
    lost: Mapping[str, int]
    """Aspect and reason → how many values did not carry over."""

    @property
    def lines(self) -> list[str]:
        """The counts in words."""
        lines = [f"{self.whole:,} of {self.judgments:,} judgments carry over with all they say."]
        if self.partly:
            lines.append(f"{self.partly:,} carry over with a part of it.")
        if self.left:
            lines.append(f"Of {self.left:,} nothing fits: they stay under the old version and count no more.")
        if self.incomplete:
            lines.append(f"{self.incomplete:,} lack an answer that the new version requires.")
        if self.earlier_rules:
            lines.append(
                f"{self.earlier_rules:,} keep an answer that the new version would not accept today, marked as given "
                "under an earlier rule."
            )
        lines += [f"{count:,} × {what}" for what, count in self.lost.items()]
        if self.drafts:
            lines.append(f"{self.drafts:,} drafts keep what was typed.")
        return lines


def changes_to(study: Study, definition: Mapping[str, Any], renamings: Sequence[str] = ()) -> SchemeChanges:
    """What becomes of the aspects of a study's scheme in an edited one.

    Raises
    ------
    InvalidInputError
        When it is no other version of the same scheme, judges other items, or a renaming makes no sense.
    UnfitCorpusError
        When the study's corpus lacks what it shows.
    """
    old, new = study.scheme(), build_scheme(dict(definition))
    if definition == study.scheme_version.definition:
        raise InvalidInputError("annotations.scheme_unchanged")
    if new.key != old.key:
        raise InvalidInputError("annotations.scheme_has_other_key", new=new.key, old=old.key)
    if new.judges_candidates != old.judges_candidates:
        raise InvalidInputError("annotations.scheme_judges_other_items")
    if lacks := fit_of(study.corpus, new).lacks:
        raise UnfitCorpusError("annotations.corpus_unfit", list(lacks))
    try:
        return compare_schemes(old, new, read_renamings(renamings, old, new))
    except RenamingsError as error:
        raise InvalidInputError("annotations.renamings_wrong", error.reasons) from None


@transaction.atomic
def adopt_scheme(
    *, study: Study, definition: Mapping[str, Any], renamings: Sequence[str] = (), dry_run: bool = False
) -> Adoption:
    """Make an edited scheme the study's, and append a revision to each current judgment that carries over to it.

    Old revisions stay as they are, under the old version; a new one names the one that it was ``carried_from`` and
    keeps its time. Scores, snapshots and exports made before stay marked by the old version.

    Parameters
    ----------
    definition
        Checked plain data (``core.schemes.read_scheme``).
    renamings
        See :func:`annotation_platform.core.schemes.migration.read_renamings`.
    dry_run
        Do everything, then take it back.

    Raises
    ------
    InvalidInputError
        See :func:`changes_to`.
    """
    study = Study.objects.select_for_update(no_key=True).select_related("scheme_version", "corpus").get(pk=study.pk)
    places = Assignment.objects.filter(hit__batch__study=study).select_for_update().order_by("pk")
    list(places.values_list("pk"))  # a submission under way is in before, or sees the new version
    changes = changes_to(study, definition, renamings)
    before, after = study.scheme_version, freeze_scheme(definition=definition)
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    shapes = item_shapes(study)
    for judgments in _current(study, before):
        _carry(judgments, changes, after, shapes, counts, lost)
    drafts = _carry_drafts(study, changes)
    Study.objects.filter(pk=study.pk).update(scheme_version=after)
    adoption = Adoption(
        version=str(after),
        changes=changes,
        judgments=counts["all"],
        whole=counts["whole"],
        partly=counts["partly"],
        left=counts["left"],
        incomplete=counts["incomplete"],
        earlier_rules=counts["earlier_rules"],
        drafts=drafts,
        lost=dict(lost.most_common()),
    )
    if dry_run:
        transaction.set_rollback(True)
    return adoption


def _current(study: Study, version: SchemeVersion) -> Iterator[list[Annotation]]:
    """The study's current judgments under a version, some at a time."""
    last = 0
    current = Annotation.objects.current().filter(item__study=study, scheme_version=version).order_by("pk")
    while some := list(current.filter(pk__gt=last)[:CHUNK]):
        yield some
        last = some[-1].pk


def _carry(
    judgments: list[Annotation],
    changes: SchemeChanges,
    version: SchemeVersion,
    shapes: Mapping[int, ItemShape],
    counts: Counter[str],
    lost: Counter[str],
) -> None:
    scheme = version.scheme()
    revisions = _revisions(judgments)
    carried: list[tuple[Annotation, ItemShape]] = []
    for old in judgments:
        shape = shapes[old.item_id]
        result = carry_over(old.values, new=scheme, changes=changes, shape=shape)
        counts.update(_kinds(result, scheme, shape))
        lost.update(f"{key.partition('.')[0]}: {reason}" for key, reason in result.lost.items())
        if result.values:
            carried.append((_revision(old, result, version, revisions), shape))
    Annotation.objects.filter(pk__in=[old.pk for old in judgments]).update(is_current=False)
    store_judgments(scheme=scheme, judgments=carried)


def _kinds(carried: Carried, scheme: Scheme, shape: ItemShape) -> Iterator[str]:
    yield "all"
    yield "left" if not carried.values else "partly" if carried.lost else "whole"
    if carried.values and unanswered(carried.values, scheme, shape):
        yield "incomplete"
    if carried.broken:
        yield "earlier_rules"


def _revision(
    old: Annotation, carried: Carried, version: SchemeVersion, revisions: Mapping[tuple[int, ...], int]
) -> Annotation:
    return Annotation(
        assignment_id=old.assignment_id,
        item_id=old.item_id,
        annotator_id=old.annotator_id,
        revision=revisions[old.assignment_id, old.item_id, old.annotator_id] + 1,
        scheme_version=version,
        values=carried.values,
        under_earlier_rule=sorted(carried.broken),
        presented=old.presented,
        seconds=old.seconds,
        created_at=old.created_at,
        carried_from=old,
    )


def _revisions(judgments: list[Annotation]) -> dict[tuple[int, ...], int]:
    """The last revision of each of these, by place, item and annotator."""
    rows = (
        Annotation.objects.filter(assignment__in={each.assignment_id for each in judgments})
        .values_list("assignment_id", "item_id", "annotator_id")
        .annotate(Max("revision"))
    )
    return {(place, item, annotator): last for place, item, annotator, last in rows}


def _carry_drafts(study: Study, changes: SchemeChanges) -> int:
    drafts = list(Draft.objects.filter(item__study=study))
    changed = [draft for draft in drafts if carry_draft(draft.values, changes) != draft.values]
    for draft in changed:
        draft.values = carry_draft(draft.values, changes)
        draft.version += 1  # a page that was open before must not save over it
    Draft.objects.bulk_update(changed, ["values", "version"], batch_size=CHUNK)
    return len(drafts)
