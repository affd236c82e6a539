# Written by client/scripts/make_sync.py from "_async"; change that.
"""A study's people: members, what is changed of them, and invitations."""

from annotation_client._sync.base import StudyBase
from annotation_client.models import Excluded, Invitation, Member, Readmitted


class People(StudyBase):
    """What is done with the people of a study."""

    def members(self) -> list[Member]:
        """Everybody in the study, by pseudonym."""
        return [Member.model_validate(row) for row in self._transport.rows(f"{self._path}/members")]

    def invitations(self) -> list[Invitation]:
        """The invitations that one may give, the newest first."""
        return [Invitation.model_validate(row) for row in self._transport.rows(f"{self._path}/invitations")]

    def invite(
        self, *, role: str = "annotator", email: str = "", max_uses: int | None = None, days: int = 30, note: str = ""
    ) -> Invitation:
        """A new way in; with an address it is mailed, and for one person."""
        body = {"role": role, "email": email, "max_uses": max_uses, "days": days, "note": note}
        return Invitation.model_validate(self._transport.post(f"{self._path}/invitations", body))

    def pause_member(self, pk: int, *, because: str) -> None:
        """Let an annotator take nothing new; they read why."""
        self._transport.post(f"{self._path}/members/{pk}/pause", {"because": because})

    def resume_member(self, pk: int) -> None:
        """Let an annotator take tasks again."""
        self._transport.post(f"{self._path}/members/{pk}/resume")

    def exclude_member(self, pk: int, *, because: str, keep_work: bool = False) -> Excluded:
        """Let an annotator take and submit nothing any more; their work is set aside unless it is kept."""
        body = {"because": because, "keep_work": keep_work}
        return Excluded.model_validate(self._transport.post(f"{self._path}/members/{pk}/exclude", body))

    def readmit_member(self, pk: int) -> Readmitted:
        """Let an annotator who was excluded take tasks again; their work counts again where its place is free."""
        return Readmitted.model_validate(self._transport.post(f"{self._path}/members/{pk}/readmit"))

    def change_role(self, pk: int, role: str) -> Member:
        """Give a member another role; for the study's admins."""
        return Member.model_validate(self._transport.post(f"{self._path}/members/{pk}/role", {"role": role}))

    def hand_over(self, pk: int) -> Member:
        """Make a member admin and yourself researcher; for the study's admins."""
        return Member.model_validate(self._transport.post(f"{self._path}/members/{pk}/hand-over"))

    def remove_member(self, pk: int, *, revoke_link: bool = True) -> None:
        """Let somebody out; their judgments stay. ``revoke_link``: also close the invitation that they came by."""
        self._transport.post(f"{self._path}/members/{pk}/remove", {"revoke_link": revoke_link})

    def restore_member(self, pk: int) -> None:
        """Let somebody who was removed in again; for the study's admins."""
        self._transport.post(f"{self._path}/members/{pk}/restore")

    def erase_member(self, pk: int, *, pseudonym: str) -> None:
        """Forget who an annotator from another platform is, for ever; the judgments stay. For the study's admins."""
        self._transport.post(f"{self._path}/members/{pk}/erase", {"pseudonym": pseudonym})

    def revoke_invitation(self, pk: int) -> None:
        """Let nobody in by it any more; who came by it stays."""
        self._transport.post(f"{self._path}/invitations/{pk}/revoke")
