"""Who made an entry, as the ledger keeps it: a member under the pseudonym, whatever becomes of the account."""

from typing import Any

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Member


def maker(actor: Actor, study_id: int) -> Member | None:
    """The member that somebody is in a study; None for workers and operators."""
    if not actor.is_person or actor.user_id is None:
        return None
    return Member.objects.filter(study=study_id, user=actor.user_id).first()


def made_by(actor: Actor, study_id: int) -> dict[str, Any]:
    """The fields of an entry that say who made it."""
    return {"actor_kind": actor.kind, "made_by": maker(actor, study_id)}
