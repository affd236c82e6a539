"""How a payment file names who is paid: as whoever pays knows them."""

from annotation_platform.crowd.providers.vault.identities import payee_id as id_on_their_platform
from annotation_platform.studies.models import Member


def payee_id(member: Member) -> str:
    """The identifier on the platform that somebody came from, for their work in rounds too; for all others the
    pseudonym."""
    return id_on_their_platform(member.in_main_study()) or member.pseudonym
