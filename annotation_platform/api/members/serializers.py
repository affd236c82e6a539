"""Members and invitations as they are sent and given."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.studies.invitations import LONGEST_DAYS, MOST_USES
from annotation_platform.studies.models import Invitation, Member, Role
from annotation_platform.studies.services.members import MOST_WORDS


class MemberRead(Output):
    id = serializers.IntegerField()
    pseudonym = serializers.CharField()
    role = choice(Role.values)
    joined_at = serializers.DateTimeField()
    removed_at = serializers.DateTimeField(allow_null=True)
    paused_at = serializers.DateTimeField(allow_null=True)
    paused_because = serializers.CharField()
    excluded_at = serializers.DateTimeField(allow_null=True)
    excluded_because = serializers.CharField()


class MemberExcluded(MemberRead):
    tasks_set_aside = serializers.IntegerField(help_text="Tasks that count no more, whose places others can take.")
    in_closed_batches = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Batch: how many of them; nobody takes their places until it is opened again.",
    )


class MemberReadmitted(MemberRead):
    tasks_restored = serializers.IntegerField(help_text="Tasks that count again.")
    tasks_left_aside = serializers.IntegerField(
        help_text="Tasks whose place somebody else has by now, or whose scheme has another version: they count in no "
        "figure, and those without a verdict can be approved on Review to be paid."
    )


FIELDS = names_of(MemberRead)


def told(member: Member) -> Mapping[str, Any]:
    return {field: member.pk if field == "id" else getattr(member, field) for field in FIELDS}


class Because(Input):
    because = serializers.CharField(max_length=MOST_WORDS, help_text="What the annotator reads about it.")


class Exclusion(Because):
    keep_work = serializers.BooleanField(
        required=False, default=False, help_text="What they submitted goes on counting; otherwise it is set aside."
    )


class Removal(Input):
    revoke_link = serializers.BooleanField(
        required=False, default=True, help_text="Also close the invitation that they came by; others may hold it, too."
    )


class NewRole(Input):
    role = choice(Role.values)


class InvitationRead(Output):
    id = serializers.IntegerField()
    role = choice(Role.values)
    state = choice(["open", "revoked", "used up", "expired"])
    note = serializers.CharField()
    max_uses = serializers.IntegerField(allow_null=True)
    uses = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    link = serializers.CharField(allow_null=True, help_text="What to hand out, while it lets somebody in.")


INVITATION_FIELDS = names_of(InvitationRead)


def told_invitation(invitation: Invitation, link: str) -> Mapping[str, Any]:
    row = {field: getattr(invitation, field) for field in INVITATION_FIELDS if field != "link"}
    return row | {"link": link if invitation.state == "open" else None}


class NewInvitation(Input):
    role = choice(Role.values, required=False, default=Role.ANNOTATOR.value)
    max_uses = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=MOST_USES, help_text="Empty: any number."
    )
    days = serializers.IntegerField(required=False, default=30, min_value=1, max_value=LONGEST_DAYS)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=120)
    email = serializers.EmailField(
        required=False, default="", allow_blank=True, max_length=120, help_text="Whom to send it to."
    )
