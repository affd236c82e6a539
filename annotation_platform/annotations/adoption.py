"""Moving a study to another version of its scheme, with the judgments made so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from annotation_platform.annotations.carrying import Move, alone_at
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import build_scheme
from annotation_platform.core.schemes.migration import (
    RenamingsError,
    SchemeChanges,
    compare_schemes,
    read_renamings,
)
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.building import UnfitCorpusError
from annotation_platform.studies.models import SchemeVersion, Study
from annotation_platform.studies.selectors import fit_of
from annotation_platform.studies.services import freeze_scheme


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


def adopt_scheme(
    *, study: Study, definition: Mapping[str, Any], renamings: Sequence[str] = (), dry_run: bool = False
) -> Adoption:
    """Make an edited scheme the study's, and append a revision to each current judgment that carries over to it.

    Old revisions stay as they are, under the old version; a new one names the one that it was ``carried_from`` and
    keeps its time. Scores, snapshots and exports made before stay marked by the old version. Others can write
    meanwhile, and nothing is different for anybody before all is carried over.

    Parameters
    ----------
    definition
        Checked plain data (``core.schemes.read_scheme``).
    renamings
        See :func:`annotation_platform.core.schemes.migration.read_renamings`.
    dry_run
        Count only.

    Raises
    ------
    InvalidInputError
        See :func:`changes_to`.
    AdoptionUnderWayError
        When somebody else adopts a version for the study at the same time.
    DatabaseBusyError
        When others write all the time.
    """
    study = Study.objects.select_related("scheme_version", "corpus").get(pk=study.pk)
    if dry_run:
        changes = changes_to(study, definition, renamings)
        move = Move(study, changes, _next_version(definition))
        move.rehearse()
        return _adoption(move, changes)
    with alone_at(study) as write:
        study.refresh_from_db(fields=["scheme_version"])
        changes = changes_to(study, definition, renamings)
        move = Move(study, changes, write(partial(freeze_scheme, definition=definition)))
        move.carry_out(write)
    return _adoption(move, changes)


def _next_version(definition: Mapping[str, Any]) -> SchemeVersion:
    """The version that this will be, not stored."""

    def frozen_and_taken_back() -> SchemeVersion:
        version = freeze_scheme(definition=definition)
        transaction.set_rollback(True)
        return version

    return in_short_transaction(frozen_and_taken_back)


def _adoption(move: Move, changes: SchemeChanges) -> Adoption:
    return Adoption(
        version=str(move.version),
        changes=changes,
        judgments=move.kinds["all"],
        whole=move.kinds["whole"],
        partly=move.kinds["partly"],
        left=move.kinds["left"],
        incomplete=move.kinds["incomplete"],
        earlier_rules=move.kinds["earlier_rules"],
        drafts=move.drafts,
        lost=dict((+move.lost).most_common()),
    )
