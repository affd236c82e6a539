"""A study's people: members, what is changed of them, and invitations."""

from annotation_client._async.base import AsyncStudyBase
from annotation_client.models import Excluded, Invitation, Member, Readmitted


class AsyncPeople(AsyncStudyBase):
    """What is done with the people of a study."""

    async def members(self) -> list[Member]:
        """Everybody in the study, by pseudonym."""
        return [Member.model_validate(row) async for row in self._transport.rows(f"{self._path}/members")]

    async def invitations(self) -> list[Invitation]:
        """The invitations that one may give, the newest first."""
        return [Invitation.model_validate(row) async for row in self._transport.rows(f"{self._path}/invitations")]

    async def invite(
        self, *, role: str = "annotator", email: str = "", max_uses: int | None = None, days: int = 30, note: str = ""
    ) -> Invitation:
        """A new way in; with an address it is mailed, and for one person."""
        body = {"role": role, "email": email, "max_uses": max_uses, "days": days, "note": note}
        return Invitation.model_validate(await self._transport.post(f"{self._path}/invitations", body))

    async def pause_member(self, pk: int, *, because: str) -> None:
        """Let an annotator take nothing new; they read why."""
        await self._transport.post(f"{self._path}/members/{pk}/pause", {"because": because})

    async def resume_member(self, pk: int) -> None:
        """Let an annotator take tasks again."""
        await self._transport.post(f"{self._path}/members/{pk}/resume")

    async def exclude_member(self, pk: int, *, because: str, keep_work: bool = False) -> Excluded:
        """Let an annotator take and submit nothing any more; their work is set aside unless it is kept."""
        body = {"because": because, "keep_work": keep_work}
        return Excluded.model_validate(await self._transport.post(f"{self._path}/members/{pk}/exclude", body))

    async def readmit_member(self, pk: int) -> Readmitted:
        """Let an annotator who was excluded take tasks again; their work counts again where its place is free."""
        return Readmitted.model_validate(await self._transport.post(f"{self._path}/members/{pk}/readmit"))

    async def change_role(self, pk: int, role: str) -> Member:
        """Give a member another role; for the study's admins."""
        return Member.model_validate(await self._transport.post(f"{self._path}/members/{pk}/role", {"role": role}))

    async def hand_over(self, pk: int) -> Member:
        """Make a member admin and yourself researcher; for the study's admins."""
        return Member.model_validate(await self._transport.post(f"{self._path}/members/{pk}/hand-over"))

    async def remove_member(self, pk: int, *, revoke_link: bool = True) -> None:
        """Let somebody out; their judgments stay. ``revoke_link``: also close the invitation that they came by."""
        await self._transport.post(f"{self._path}/members/{pk}/remove", {"revoke_link": revoke_link})

    async def restore_member(self, pk: int) -> None:
        """Let somebody who was removed in again; for the study's admins."""
        await self._transport.post(f"{self._path}/members/{pk}/restore")

    async def erase_member(self, pk: int, *, pseudonym: str) -> None:
        """Forget who an annotator from another platform is, for ever; the judgments stay. For the study's admins."""
        await self._transport.post(f"{self._path}/members/{pk}/erase", {"pseudonym": pseudonym})

    async def revoke_invitation(self, pk: int) -> None:
        """Let nobody in by it any more; who came by it stays."""
        await self._transport.post(f"{self._path}/invitations/{pk}/revoke")
