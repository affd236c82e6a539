"""How a payment file names who is paid."""

from annotation_platform.studies.models import Member


def payee_id(member: Member) -> str:
    """By the pseudonym; whoever pays knows from elsewhere whose it is."""
    return member.pseudonym
