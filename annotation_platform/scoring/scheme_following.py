"""What becomes of a study's own rescalers when its scheme gets another version; loads no method, as an app's ``ready``
must not."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Method
from annotation_platform.studies.models import SchemeVersion, Study


def carry_rescalers(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Find the study's rescalers under the new keys of their aspects, in new runs and in those that may go on. One of
    an aspect that is gone is not for another that has its key now: it gets a name with a dot, as no aspect has.

    A follower of ``annotations.scheme_following``.
    """
    renamed = {each.old: each.new for each in changes.aspects if each.new}
    others = {aspect.key for aspect in version.scheme().aspects} - renamed.keys()
    rescalers = list(study.rescalers.select_for_update(no_key=True).only("aspect"))
    for each in rescalers:
        each.aspect = f"{each.aspect}.{each.pk}" if each.aspect in others else renamed.get(each.aspect, each.aspect)
    study.rescalers.bulk_update(rescalers, ["aspect"])
    going_on = study.scoring_runs.filter(method=Method.EBR).exclude(status=JobStatus.DONE)
    for run in going_on.filter(parameters__has_key="own").select_for_update(no_key=True):
        own = run.parameters["own"].items()
        run.parameters["own"] = {renamed.get(key, key): digest for key, digest in own if key not in others}
        run.save(update_fields=["parameters"])
