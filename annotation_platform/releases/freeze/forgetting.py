"""What becomes of releases that are not frozen when something that they say of participants is forgotten."""

from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.participants import participants_of, texts_in
from annotation_platform.releases.models import Finding, Release
from annotation_platform.studies.models import Study


def forget_participants(study: Study) -> None:
    """Take what is not so any more out of the facts and findings of releases that are not frozen.

    They are looked through anew before they are frozen; one that waits for people goes on waiting, for nobody saw
    what it would say now. What a frozen release says stays in it.
    """
    for release in study.releases.exclude(status=JobStatus.DONE).select_for_update():
        before, now = release.facts.get("participants", {}), participants_of(release)
        if before == now:
            continue
        gone = {*texts_in(before)} - {*texts_in(now)}
        about = [each.pk for each in release.findings.all() if each.is_of_people or _stands_in(each, gone)]
        Finding.objects.filter(pk__in=about).delete()
        Release.objects.filter(pk=release.pk).update(facts={}, looked_at=None)


def _stands_in(finding: Finding, texts: set[str]) -> bool:
    return any(finding.text in text for text in texts)
