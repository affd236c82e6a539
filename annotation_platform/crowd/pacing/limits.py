"""The limits of a study whose figures are by aspect, when the aspects of its scheme change.

It loads no figures: an app's ``ready`` takes from here, and so does every process, the smallest command, too.
"""

from collections.abc import Mapping

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.crowd.pacing.models import Pacing
from annotation_platform.studies.models import SchemeVersion, Study

AGREEMENT = "agreement."  # before the key of an aspect: its limit's own key


def carry_limits(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Hold the agreement on aspects to the same limits under their new keys. Those of aspects that are gone stay, so
    that the page can say that they hold nothing back, until somebody saves it; but for those whose key another aspect
    has now.

    A follower of ``annotations.scheme_following``.
    """
    renamed = {AGREEMENT + each.old: AGREEMENT + each.new for each in changes.aspects if each.new}
    others = {AGREEMENT + aspect.key for aspect in version.scheme().aspects}
    for pacing in Pacing.objects.filter(study=study).select_for_update(no_key=True):
        stay = {key: limit for key, limit in pacing.limits.items() if key not in renamed and key not in others}
        carried = {new: pacing.limits[old] for old, new in renamed.items() if old in pacing.limits}
        Pacing.objects.filter(pk=pacing.pk).update(limits=stay | carried)


def limits_without_aspect(study: Study, limits: Mapping[str, float]) -> list[str]:
    """The aspects with a limit on their agreement that the scheme does not have any more."""
    known = {each.key for each in study.scheme().labelled_aspects}
    limited = (key.removeprefix(AGREEMENT) for key in limits if key.startswith(AGREEMENT))
    return sorted(key for key in limited if key not in known)
