"""The kinds of jobs that programs see, who sees one, and where its result is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from annotation_platform.accounts.models import User
from annotation_platform.analysis.models import AgreementSnapshot, PaperBundle, SnapshotJob
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.imports.models import ImportJob
from annotation_platform.jobs.rows import Job
from annotation_platform.releases.models import Comparison, Export, Release
from annotation_platform.scoreback.models import ScoreSending
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import Study

Address = str | None


@dataclass(frozen=True)
class Kind:
    """One kind: ``resource`` gives the path of what a job is about, ``result`` that of what a finished one made."""

    model: type[Job]
    resource: Callable[[Any], Address]
    result: Callable[[Any], Address]
    is_for_admins: bool = False
    is_own: bool = False
    """Only whoever asked for it sees it; a study may come of it."""
    large: tuple[str, ...] = ()
    """Columns that nothing said of a job needs, and that would take much memory in lists."""

    def seen_by(self, user: User) -> QuerySet[Any]:
        studies = Study.objects.administered_by(user) if self.is_for_admins else Study.objects.visible_to(user)
        rows: QuerySet[Any] = self.model._default_manager.all()
        seen = rows.filter(owner=user) if self.is_own else rows.filter(study__in=studies)
        return seen.select_related("study").defer(*self.large)


def _run(job: ScoringRun) -> Address:
    return reverse("api_run", args=[job.study.slug, job.pk])


def _export(job: Export) -> Address:
    return reverse("api_export", args=[job.study.slug, job.pk])


def _export_file(job: Export) -> Address:
    return reverse("api_export_file", args=[job.study.slug, job.pk])


def _release(job: Release) -> Address:
    return reverse("api_release", args=[job.study.slug, job.number])


def _changes(job: Comparison) -> Address:
    address = reverse("api_release_changes", args=[job.study.slug, job.after.number])
    return f"{address}?with={job.before.number}"


def _destination(job: ScoreSending) -> Address:
    return reverse("api_score_destination", args=[job.study.slug, job.destination.program])


def _sent_scores(job: ScoreSending) -> Address:
    return reverse("api_sent_scores", args=[job.study.slug, job.destination.program])


def _migration(job: SchemeMigration) -> Address:
    return reverse("api_scheme_migration", args=[job.study.slug, job.pk])


def _snapshot(job: SnapshotJob) -> Address:
    """What was measured while the job was at work: a new snapshot, or one that holds for the same data again."""
    if job.started_at is None or job.finished_at is None:
        return None
    measured = AgreementSnapshot.objects.filter(
        study=job.study_id, measured_at__gte=job.started_at, measured_at__lte=job.finished_at
    )
    pk = measured.order_by("-measured_at").values_list("pk", flat=True).first()
    return reverse("api_snapshot", args=[job.study.slug, pk]) if pk else None


def _bundle_file(job: PaperBundle) -> Address:
    return reverse("api_bundle_file", args=[job.study.slug, job.pk])


def _import(job: ImportJob) -> Address:
    return reverse("api_import", args=[job.pk])


def _imported(job: ImportJob) -> Address:
    if job.study:
        return reverse("api_study", args=[job.study.slug])
    return reverse("api_corpus", args=[job.corpus_id]) if job.corpus_id else None


def _none(job: Job) -> Address:
    return None


KINDS: Mapping[str, Kind] = {
    "run": Kind(ScoringRun, _run, _run),
    "snapshot": Kind(SnapshotJob, _none, _snapshot),
    "bundle": Kind(PaperBundle, _none, _bundle_file),
    "export": Kind(Export, _export, _export_file, is_for_admins=True),
    "release": Kind(Release, _release, _release),
    "comparison": Kind(Comparison, _changes, _changes),
    "score-sending": Kind(ScoreSending, _destination, _sent_scores, is_for_admins=True),
    "scheme-migration": Kind(SchemeMigration, _migration, _migration, is_for_admins=True),
    "import": Kind(ImportJob, _import, _imported, is_own=True, large=("first_rows",)),
}


def kind_of(job: Job) -> str:
    return next(name for name, kind in KINDS.items() if kind.model is type(job))


def job_named(user: User, name: str) -> Any:
    """A job by its name, such as ``run-12``.

    Raises
    ------
    NotThereError
        When there is none, or it is not for the user to see, which sounds the same.
    """
    kind, _, key = name.rpartition("-")
    if kind in KINDS and (pk := typed_number(key)) is not None:
        found = KINDS[kind].seen_by(user).filter(pk=pk).first()
        if found is not None:
            return found
    raise NotThereError("api.no_job", name=name)
