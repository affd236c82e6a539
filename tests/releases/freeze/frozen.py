"""Releases for tests, made as the worker makes them."""

from typing import Any

from annotation_platform.jobs.contract import claim, execute, run_job, waiting
from annotation_platform.releases.freeze.jobs import RELEASES
from annotation_platform.releases.freeze.packing import PACKINGS
from annotation_platform.releases.freeze.services import request_release, settle_findings
from annotation_platform.releases.models import Finding, Release
from annotation_platform.studies.models import Member, Role, Study
from tests.factories import OPERATOR, MemberFactory

ASKED = {"title": "Long answers", "authors": "Mori, Aya\nA Group", "licence": "CC-BY-4.0"}


def asked(study: Study, **given: Any) -> Release:
    """Ask for a release and let the worker do what it can."""
    return worked(request_release(study=study, requested_by=admin_of(study), actor=OPERATOR, **{**ASKED, **given}))


def frozen(study: Study, **given: Any) -> Release:
    """The same with all that was found kept, up to the end."""
    release = asked(study, **given)
    if found := list(release.findings.values_list("pk", flat=True)):
        settle_findings(release=release, verdicts=dict.fromkeys(found, Finding.Verdict.KEPT), actor=OPERATOR)
        release = worked(release)
    assert release.status == Release.Status.DONE, release.error
    return release


def frozen_without(study: Study, *texts: str) -> Release:
    """A release in which these texts are replaced, as if each had been found."""
    release = asked(study)
    for text in texts:
        Finding.objects.create(release=release, kind=Finding.Kind.ACCOUNT, text=text, verdict=Finding.Verdict.REMOVED)
    release.findings.filter(verdict=Finding.Verdict.OPEN).update(verdict=Finding.Verdict.KEPT)
    Release.objects.filter(pk=release.pk).update(status=Release.Status.PENDING)
    release = worked(release)
    assert release.status == Release.Status.DONE, release.error
    return release


def worked(release: Release) -> Release:
    claimed = claim(RELEASES, release.pk)
    assert claimed is not None
    return execute(RELEASES, claimed)


def packed(release: Release) -> Release:
    """The release with its files deflated, as the worker does it after the freeze."""
    for pk in waiting(PACKINGS):
        job = run_job(PACKINGS, pk)
        assert job is not None
        assert job.status == job.Status.DONE, job.error
    release.refresh_from_db()
    return release


def admin_of(study: Study) -> Member:
    admin = study.members.filter(role=Role.ADMIN).first()
    return admin or MemberFactory(study=study, role=Role.ADMIN, pseudonym="admin")
