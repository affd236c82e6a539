"""What becomes of a round's accepted answers when its own study gets another version of its scheme."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.qualification import migrate_accepted
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.crowd.rounds.models import ItemKey, Round
from annotation_platform.crowd.rounds.services.keys import compare_again
from annotation_platform.studies.models import SchemeVersion, Study


def carry_keys(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Accept the same answers under their new keys; the history says of how many items some of it is lost.

    What people judged is compared with them again, as when a person changes them: also where nothing is lost, since two
    choices can have become one.

    A follower of ``annotations.scheme_following``.
    """
    keys = list(ItemKey.objects.filter(item__study=study).select_for_update(no_key=True, of=("self",)).order_by("pk"))
    if not keys:
        return
    lost = 0
    for key in keys:
        kept = migrate_accepted(key.accepted, changes)
        lost += len(kept) < len(key.accepted)
        key.accepted = kept
    ItemKey.objects.bulk_update(keys, ["accepted"], batch_size=500)
    round_ = Round.objects.select_related("study__qualifies_for").get(study=study)
    compare_again(round_)
    if lost:
        record(actor, Verb.ROUND_KEY_CHANGED, round_, study=round_.study.qualifies_for, change={"items": (0, lost)})
