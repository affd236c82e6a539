"""What becomes of runs when their study's scheme migrates: which labels of models do not count any more."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import points_of
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.scoring.models import GIVING_LABELS, ScoringRun
from annotation_platform.studies.models import SchemeVersion, Study


def set_outdated(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Let the labels that models gave before count no more, where a key that they have means something else now.

    Whether a run has labels under that very key is not asked: one that is under way may be about to.
    A follower of ``annotations.scheme_following``.
    """
    if _keys_that_mean_something_else(changes, version.scheme()):
        ScoringRun.objects.filter(study=study, method__in=GIVING_LABELS).update(is_outdated=True, is_chosen=False)


def _keys_that_mean_something_else(changes: SchemeChanges, new: Scheme) -> set[str]:
    """Keys of the old version, of aspects and of choices, that the new one has for another aspect or choice."""
    aspects = {aspect.key: aspect for aspect in new.labelled_aspects}
    taken = {each.old for each in changes.aspects if each.new != each.old and each.old in aspects}
    for each in changes.aspects:
        if each.new == each.old and each.old in aspects:
            choices = points_of(aspects[each.old]) or {}
            taken |= {f"{each.old}.{key}" for key in (*each.choices, *each.lost_choices) if key in choices}
    return taken
