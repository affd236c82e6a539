"""Who made an entry, as the ledger keeps it: a member under the pseudonym, whatever becomes of the account."""

from typing import Any

from django.db.models.functions import Coalesce

from annotation_platform.accounts.actors import Actor
from annotation_platform.studies.models import Member, Study


def maker(actor: Actor, study_id: int) -> Member | None:
    """The member that somebody is in a study, or in the one that a round qualifies for, whose people look after it;
    None for workers and operators."""
    if not actor.is_person or actor.user_id is None:
        return None
    team = Study.every.filter(pk=study_id).values(team=Coalesce("qualifies_for", "pk"))
    return Member.objects.filter(study__in=team, user=actor.user_id).first()


def made_by(actor: Actor, study_id: int) -> dict[str, Any]:
    """The fields of an entry that say who made it."""
    return {"actor_kind": actor.kind, "made_by": maker(actor, study_id)}
