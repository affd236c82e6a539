"""A study's way to another version of its scheme, with the judgments made so far: a job of the worker.

A person has counted what would migrate, or has it migrated; each is a row that is asked for, carried out in
pieces, and ends with the counts or with the reasons why not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.forms.values import kept_in, typed_from_sent, typed_from_values, without_place
from annotation_platform.annotations.judgment_migration import JudgmentMigration, MigrationCounts, clear, counting
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.annotations.scheme_following import scheme_is_migrated
from annotation_platform.annotations.selectors import Content
from annotation_platform.annotations.services.hints import carry_hints
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError
from annotation_platform.core.reasons import as_data, from_data
from annotation_platform.core.schemes import Scheme, build_scheme, read_scheme
from annotation_platform.core.schemes.migration import (
    RenamingsError,
    SchemeChanges,
    compare_schemes,
    migrate_draft,
    read_renamings,
)
from annotation_platform.core.schemes.writing import write_scheme
from annotation_platform.jobs.contract import JobKind, claim, execute, failed, in_words, leave
from annotation_platform.jobs.heartbeat import Heartbeat, JobLostError, Progress
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.jobs.transactions import Write, in_short_transaction
from annotation_platform.studies.building import UnfitCorpusError
from annotation_platform.studies.models import Member, SchemeVersion, Study
from annotation_platform.studies.selectors import fit_of
from annotation_platform.studies.services import freeze_scheme

COUNT, MIGRATE = SchemeMigration.Wanted.COUNT, SchemeMigration.Wanted.MIGRATE


class MigrationUnderWayError(ConflictError):
    """The study is on its way to another version of its scheme at this moment."""

    def __init__(self) -> None:
        super().__init__("annotations.migration_under_way")


@dataclass(frozen=True)
class Migrated:
    """What giving a study another version of its scheme did, or would do."""

    version: str
    changes: SchemeChanges
    counts: MigrationCounts


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
        earlier = [step.before.scheme() for step in _steps(study)]
        return compare_schemes(old, new, read_renamings(renamings, old, new), earlier=earlier)
    except RenamingsError as error:
        raise InvalidInputError("annotations.renamings_wrong", error.reasons) from None


def carried_over(study: Study, typed: Mapping[str, Any], *, signature: str) -> dict[str, Any]:
    """What was typed in a form of an earlier version of a study's scheme, under the keys of the one that it has now.

    ``signature``: that version's.
    """
    carried = dict(typed)
    for _, changes in steps_since(study, signature):
        carried = migrate_draft(carried, changes)
    return carried


def steps_since(
    study: Study, signature: str, *, until: SchemeVersion | None = None
) -> Iterator[tuple[SchemeVersion, SchemeChanges]]:
    """Each version of its scheme that a study has got since it last had one, with what became of the aspects.

    ``until``: as it was when it last got this one; nothing where it never did.
    """
    steps = _steps(study)
    if until is not None:
        steps = steps[: max((place for place, step in enumerate(steps, start=1) if step.after == until), default=0)]
    since = max((place for place, step in enumerate(steps) if step.before.signature == signature), default=len(steps))
    earlier = [step.before.scheme() for step in steps[:since]]
    for step in steps[since:]:
        assert step.after is not None  # see _steps
        old, new = step.before.scheme(), step.after.scheme()
        renamings = read_renamings(step.renamings.splitlines(), old, new)
        yield step.after, compare_schemes(old, new, renamings, earlier=earlier)
        earlier.append(old)


def had_before(study: Study, signature: str) -> bool:
    """Whether a version of its scheme is one that a study had before the one that it has now."""
    return any(step.before.signature == signature for step in _steps(study))


def _steps(study: Study) -> list[SchemeMigration]:
    """The migrations of a study's scheme, each with the versions before and after it."""
    done = study.scheme_migrations.filter(status=JobStatus.DONE, wanted=MIGRATE).exclude(after=None)
    return list(done.select_related("before", "after").order_by("pk"))


def values_today(study: Study, content: Content) -> dict[str, Any]:
    """Where the fields of a question start; of an earlier version of the scheme as typed, under the keys of today, as
    far as the study's scheme has them.
    """
    is_earlier = content.under not in ("", study.scheme_version.signature)
    earlier = SchemeVersion.scheme_of(content.under) if is_earlier else None
    if earlier is None:
        return content.values
    carried = carried_over(study, typed_from_values(earlier, content.values), signature=content.under)
    return {**typed_from_values(study.scheme(), carried)}


def typed_today(study: Study, scheme: Scheme, sent: QueryDict) -> dict[str, str]:
    """What stands in a form: read by the scheme that it was made from, under the keys of the one that the study has;
    with what the form carries along of fields that are asked no more.
    """
    signature = str(sent.get("scheme", ""))
    is_earlier = signature not in ("", study.scheme_version.signature)
    earlier = SchemeVersion.scheme_of(signature) if is_earlier else None
    kept = kept_in(sent)
    if earlier is None:
        return {**dict(without_place(scheme, kept)), **typed_from_sent(scheme, sent)}
    return carried_over(study, kept | typed_from_sent(earlier, sent), signature=signature)


def request_migration(
    *, study: Study, text: str, renamings: str = "", wanted: str, requested_by: Member | None = None, actor: Actor
) -> SchemeMigration:
    """Put an edited scheme into the queue, to be counted or to become the study's; a double click gets the same one.

    Parameters
    ----------
    text
        The scheme as it was typed, without mistakes.
    renamings
        One a line; see :func:`annotation_platform.core.schemes.migration.read_renamings`.
    wanted
        ``count`` or ``migrate``.

    Raises
    ------
    InvalidInputError
        See :func:`changes_to`.
    MigrationUnderWayError
        When something else of this study is being counted or migrated.
    """
    study = Study.objects.select_related("scheme_version", "corpus").get(pk=study.pk)
    changes_to(study, read_scheme(text), renamings.splitlines())
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        active = study.scheme_migrations.active().first()
        if active is not None:
            if (active.text, active.renamings, active.wanted) == (text, renamings, wanted):
                return active
            raise MigrationUnderWayError
        job = SchemeMigration.objects.create(
            study=study,
            text=text,
            renamings=renamings,
            wanted=wanted,
            before=study.scheme_version,
            requested_by=requested_by,
            total=counting(study).count(),
        )
        if wanted == MIGRATE:
            record(actor, Verb.STUDY_MIGRATION_REQUESTED, job, study=study)
        return job


def migrate_scheme(
    *,
    study: Study,
    definition: Mapping[str, Any],
    renamings: Sequence[str] = (),
    dry_run: bool = False,
    on_progress: Progress | None = None,
    actor: Actor,
) -> Migrated:
    """The same here and now, without a worker; it goes on with what a process that was killed had begun.

    Parameters
    ----------
    definition
        Checked plain data (``core.schemes.read_scheme``).
    dry_run
        Count only.

    Raises
    ------
    InvalidInputError
        See :func:`changes_to`; or why it was broken off.
    MigrationUnderWayError
        When another process is at it.
    """
    study = Study.objects.select_related("scheme_version", "corpus").get(pk=study.pk)
    changes = changes_to(study, definition, renamings)
    if dry_run:
        migration = JudgmentMigration(study, changes, _next_version(definition))
        return Migrated(str(migration.version), changes, migration.count(lambda done, total: None))
    asked = request_migration(
        study=study,
        text=write_scheme(dict(definition)),
        renamings="\n".join(renamings),
        wanted=MIGRATE,
        actor=actor,
    )
    if (job := claim(MIGRATIONS, asked.pk)) is None:
        raise MigrationUnderWayError
    job = execute(MIGRATIONS, job, on_progress)
    if job.status != JobStatus.DONE or not job.counts:
        first, *others = from_data(job.reasons) or [MigrationUnderWayError().reason]
        raise InvalidInputError(first, others)
    return Migrated(str(job.after), changes, MigrationCounts.of_data(job.counts))


def clear_left_behind() -> None:
    """Clear away what was migrated before the job failed; nobody has seen it."""
    for job in SchemeMigration.objects.filter(status=JobStatus.FAILED, study__arriving_at=None).exclude(after=None):
        with suppress(MigrationUnderWayError):  # that one clears first, too
            clear(job.study, partial(_while_idle, job.study))
            SchemeMigration.objects.filter(pk=job.pk).update(after=None)


def _while_idle(study: Study, work: Callable[[], Any]) -> Any:
    """Write in a transaction during which nothing of the study is migrated."""

    def idle() -> Any:
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.scheme_migrations.active().exists():
            raise MigrationUnderWayError
        return work()

    return in_short_transaction(idle)


def _count_or_migrate(job: SchemeMigration, heartbeat: Heartbeat) -> None:
    study = Study.every.select_related("scheme_version", "corpus").get(pk=job.study_id)
    if study.scheme_version_id != job.before_id:
        raise ConflictError("annotations.scheme_migrated_meanwhile", version=str(study.scheme_version))
    definition = read_scheme(job.text)
    changes = changes_to(study, definition, job.renamings.splitlines())
    write = partial(_held, job)

    def progress(steps: int, total: int) -> None:
        if total != job.total:
            job.total = total
            write(lambda: SchemeMigration.objects.filter(pk=job.pk).update(total=total))
        heartbeat.beat(steps)

    if job.wanted == COUNT:
        counts = JudgmentMigration(study, changes, _next_version(definition)).count(progress)
        write(lambda: leave(job, counts=counts.as_data(), done=heartbeat.done))
        return
    version = job.after or _begin(job, study, definition, write)
    asker = job.requested_by.user_id if job.requested_by else None

    def finish(counts: MigrationCounts) -> None:
        Study.objects.filter(pk=study.pk).update(scheme_version=version)
        actor = Actor.worker("scheme migration", job.pk, on_behalf_of=asker)
        change = {"scheme": (str(study.scheme_version), str(version))}
        record(actor, Verb.STUDY_SCHEME_MIGRATED, study, study=study, change=change)
        carry_hints(study, version, changes)
        scheme_is_migrated(study, version, changes, actor)
        leave(job, counts=counts.as_data(), done=counts.judgments, total=counts.judgments)

    JudgmentMigration(study, changes, version).migrate(write, progress, finish)


def _held(job: SchemeMigration, work: Callable[[], Any]) -> Any:
    """Write in a short transaction during which the job is this process's, and the study is there."""

    def held() -> Any:
        ours = SchemeMigration.objects.filter(pk=job.pk, worker=job.worker, status=JobStatus.RUNNING)
        if not ours.filter(study__arriving_at=None).update(heartbeat_at=timezone.now()):
            raise JobLostError("jobs.taken_over", job=str(job))
        return work()

    return in_short_transaction(held)


def _begin(job: SchemeMigration, study: Study, definition: Mapping[str, Any], write: Write) -> SchemeVersion:
    """Freeze the new version, after clearing away what another job migrated; from here on, this one goes on."""
    clear(study, write)

    def begin() -> SchemeVersion:
        version = freeze_scheme(definition=definition)
        SchemeMigration.objects.filter(pk=job.pk).update(after=version)
        return version

    version: SchemeVersion = write(begin)
    return version


def _next_version(definition: Mapping[str, Any]) -> SchemeVersion:
    """The version that this will be, not stored."""

    def frozen_and_taken_back() -> SchemeVersion:
        version = freeze_scheme(definition=definition)
        transaction.set_rollback(True)
        return version

    return in_short_transaction(frozen_and_taken_back)


def _with_reasons(error: Exception) -> Mapping[str, Any]:
    """A failure whose reasons can be told in any language."""
    first = error.reason if isinstance(error, DomainError) else in_words(error)
    return {**failed(error), "reasons": as_data([first, *getattr(error, "reasons", ())])}


MIGRATIONS = JobKind("scheme migration", SchemeMigration, _count_or_migrate, ended_by=_with_reasons, tries=20)
