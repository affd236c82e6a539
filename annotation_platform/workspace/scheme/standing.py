"""How far a study is on its way to another version of its scheme, as its pages tell it."""

from dataclasses import dataclass

from annotation_platform.annotations.judgment_migration import MigrationCounts
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.core.reasons import from_data
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import Study

COUNT, MIGRATE = SchemeMigration.Wanted.COUNT, SchemeMigration.Wanted.MIGRATE

_LAST = CompiledQuery(lambda study: SchemeMigration.objects.filter(study=study).select_related("after")[:1])


@dataclass(frozen=True)
class Standing:
    """The last migration that was asked for, and what it still means for the scheme that the study has now."""

    job: SchemeMigration | None
    is_active: bool = False
    has_failed: bool = False
    is_counted: bool = False
    is_done: bool = False

    @classmethod
    def of(cls, study: Study) -> "Standing":
        job: SchemeMigration | None = _LAST.first(study.pk, study=study)
        if job is None:
            return cls(None)
        is_done = job.status == JobStatus.DONE
        is_of_now = job.before_id == study.scheme_version_id
        return cls(
            job,
            is_active=job.is_active,
            has_failed=is_of_now and job.status == JobStatus.FAILED,
            is_counted=is_of_now and is_done and job.wanted == COUNT,
            is_done=is_done and job.wanted == MIGRATE and job.after_id == study.scheme_version_id,
        )

    @property
    def counts(self) -> MigrationCounts | None:
        return MigrationCounts.of_data(self.job.counts) if self.job and self.job.counts else None

    @property
    def reasons(self) -> list[str]:
        return list(from_data(self.job.reasons)) if self.job else []

    def typed(self) -> SchemeMigration | None:
        """The one whose scheme is not the study's yet, for the editor to begin with."""
        return self.job if self.has_failed or self.is_counted else None

    def is_about(self, text: str, renamings: str) -> bool:
        """Whether it was asked for with what stands in the editor."""
        same = self.job and (self.job.text.split(), self.job.renamings.split()) == (text.split(), renamings.split())
        return bool(same)
