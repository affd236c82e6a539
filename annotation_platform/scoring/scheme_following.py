"""What becomes of runs and of a study's own rescalers when its scheme gets another version.

It loads no method, as an app's ``ready`` must not.
"""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import points_of
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import GIVING_LABELS, ItemLabel, Method, ScoringRun
from annotation_platform.studies.models import SchemeVersion, Study


def carry_rescalers(study: Study, version: SchemeVersion, changes: SchemeChanges, _: Actor) -> None:
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


def set_outdated(study: Study, version: SchemeVersion, changes: SchemeChanges, _: Actor) -> None:
    """Let the labels that models gave before count no more, where a key that they have means something else now, or
    counts otherwise; with a composite of other aspects, those of LLM-MATE.

    A run at work may be about to give labels under the keys of the version before. One that waits or has stopped, and
    has none yet, will ask by the new one.
    A follower of ``annotations.scheme_following``.
    """
    old, new = study.scheme(), version.scheme()
    runs = ScoringRun.objects.filter(study=study, method__in=GIVING_LABELS)
    # Who takes or chooses one now waits for the new version.
    list(runs.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    labels = ItemLabel.objects.filter(run=OuterRef("pk"))
    outdated = Q(Exists(labels.filter(_under_new_keys(old, changes, new))))
    if methods := _methods_concerned(old, changes, new):
        outdated |= Q(Q(status=JobStatus.RUNNING) | Q(Exists(labels)), method__in=methods)
    runs.filter(outdated).update(is_outdated=True, is_chosen=False)


def _methods_concerned(old: Scheme, changes: SchemeChanges, new: Scheme) -> Sequence[Method]:
    """The methods whose labels, or what is made of them, had keys that are another's now."""
    if _keys_that_mean_something_else(changes, new):
        return GIVING_LABELS
    key = {each.old: each.new for each in changes.aspects}
    before = {each.key: ({key[part] for part in each.parts}, key[each.predicts]) for each in old.composites}
    now = {each.key: ({*each.parts}, each.predicts) for each in new.composites}
    return (Method.MATE,) if any(now.get(each) != said for each, said in before.items()) else ()


def _keys_that_mean_something_else(changes: SchemeChanges, new: Scheme) -> set[str]:
    """Keys of the old version, of aspects and of choices, that the new one has for another aspect or choice, or with
    another number, by which labels were counted already."""
    aspects = {aspect.key: aspect for aspect in new.labelled_aspects}
    taken = {each.old for each in changes.aspects if each.new != each.old and each.old in aspects}
    for each in changes.aspects:
        if each.new == each.old and each.old in aspects:
            choices = points_of(aspects[each.old]) or {}
            taken |= {f"{each.old}.{key}" for key in (*each.choices, *each.lost_choices) if key in choices}
            taken |= {f"{each.old}.{key}" for key, (before, _) in each.numbers.items() if before is not None}
    return taken


def _under_new_keys(old: Scheme, changes: SchemeChanges, new: Scheme) -> Q:
    """Labels under keys, of aspects and of choices, that the new version has and the one before had not."""
    kept = {each.old for each in changes.aspects if each.new == each.old}
    before = {aspect.key: points_of(aspect) or {} for aspect in old.aspects}
    found = Q(aspect__in=[aspect.key for aspect in new.labelled_aspects if aspect.key not in kept])
    for aspect in new.labelled_aspects:
        if aspect.key in kept:
            found |= Q(aspect=aspect.key, label__in=(points_of(aspect) or {}).keys() - before[aspect.key].keys())
    return found
