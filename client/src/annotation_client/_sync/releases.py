# Written by client/scripts/make_sync.py from "_async"; change that.
"""A study's releases: asking for one, settling what was found, downloading, links, and what changed."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from annotation_client._sync.base import POLL, StudyBase
from annotation_client._sync.rows import Rows
from annotation_client.archives import new_folder, unpacked
from annotation_client.errors import JobFailedError, NotThereError
from annotation_client.models import Link, Release, ReleaseChanges, Right
from annotation_client.progress import Told
from annotation_client.sending import in_address


class Releasing(StudyBase):
    """What is done with the releases of a study."""

    def releases(self) -> list[Release]:
        """All releases, the newest first."""
        return [Release.model_validate(row) for row in self._transport.rows(f"{self._path}/releases")]

    def freeze(
        self,
        title: str,
        *,
        authors: Sequence[str],
        licence: str,
        description: str = "",
        with_prompts: bool = True,
        with_replies: bool = False,
        participant_columns: Sequence[str] = (),
        participants_agreed: bool = False,
        embargo_until: date | None = None,
        progress: bool | Told = True,
        poll: float = POLL,
    ) -> Release:
        """Ask for a release, and wait until it is frozen, or a draft with ``findings`` to settle; for admins.

        Asked for again while it is under way, or a draft, also by another process, it is the same one.

        Parameters
        ----------
        with_prompts
            Also what language models were asked, with the texts that they were shown.
        with_replies
            Also what they replied, word by word.
        participant_columns
            Columns kept of Prolific's file of participants that ``data/annotators.csv`` is to have.
        participants_agreed
            Needed for any of them: participants agreed that they are published.
        embargo_until
            No link lets anybody download before that day.

        Raises
        ------
        JobFailedError
            When it could not be made.
        """
        body = {  # as the platform keeps it, so that it is known again
            "title": " ".join(title.split()),
            "authors": [" ".join(each.split()) for each in authors],
            "licence": licence.strip(),
            "description": description.strip(),
            "with_prompts": with_prompts,
            "with_replies": with_replies,
            "participant_columns": list(dict.fromkeys(each.strip() for each in participant_columns)),
            "participants_agreed": participants_agreed,
            "embargo_until": embargo_until.isoformat() if embargo_until else None,
        }
        if (path := self._asked_for(body)) is None:
            path = (self._transport.post(f"{self._path}/releases", body))["resource"]
        return self._frozen(path, progress, poll)

    def settle(
        self, number: int, verdicts: Mapping[int, str], *, progress: bool | Told = True, poll: float = POLL
    ) -> Release:
        """Say of findings (by ``id``) that they are ``kept`` or ``removed``; once none is open, it is frozen."""
        sent = [{"id": pk, "verdict": verdict} for pk, verdict in verdicts.items()]
        path = f"{self._path}/releases/{number}"
        self._transport.post(f"{path}/settle", {"verdicts": sent})
        return self._frozen(path, progress, poll)

    def download_release(self, number: int, folder: str | Path) -> Path:
        """Download a frozen release into a new folder below ``folder``, and check all its files.

        Raises
        ------
        ReleaseDiffersError
            When a file is not as it was frozen.
        NotThereError
            When it is not frozen, or was withdrawn.
        FileExistsError
            When that folder is there already.
        """
        release = Release.model_validate(self._transport.get(f"{self._path}/releases/{number}"))
        target = new_folder(folder, self.slug, number)
        if release.file is None:
            detail = release.withdrawn_because or "It is not frozen."
            raise NotThereError(404, {"detail": detail, "code": "client.not_frozen"})
        archive = self._transport.download(release.file, target.with_suffix(".zip"))
        return unpacked(archive, target, digest=release.digest, size=release.size)

    def withdraw(self, number: int, *, because: str) -> Release:
        """Let nobody download it any more; its number, checksum and the reason stay. For the study's admins."""
        reply = self._transport.post(f"{self._path}/releases/{number}/withdraw", {"because": because})
        return Release.model_validate(reply)

    def changes(
        self, number: int, *, since: int | None = None, progress: bool | Told = True, poll: float = POLL
    ) -> ReleaseChanges:
        """What a release has that another one (``since``; otherwise the one before) has not, and how figures moved.

        Two that were not compared before are compared first, which is waited for.

        Raises
        ------
        JobFailedError
            When they could not be compared.
        """
        path, given = f"{self._path}/releases/{number}/changes", {"with": since}
        reply = self._transport.get(path, **given)
        if "before" not in reply:
            self.wait_for(reply["address"], progress=progress, poll=poll)
            reply = self._transport.get(path, **given)
        return ReleaseChanges.model_validate(reply)

    def links(self, number: int) -> list[Link]:
        """The links by which others download a release, the newest first; for the study's admins."""
        return [Link.model_validate(row) for row in self._transport.rows(f"{self._path}/releases/{number}/links")]

    def make_link(self, number: int, *, days: int = 30, note: str = "") -> Link:
        """A link that lets anybody who has it download the release, for so many days; for the study's admins."""
        reply = self._transport.post(f"{self._path}/releases/{number}/links", {"days": days, "note": note})
        return Link.model_validate(reply)

    def revoke_link(self, number: int, pk: int) -> Link:
        """Let nobody in by it any more."""
        return Link.model_validate(self._transport.post(f"{self._path}/releases/{number}/links/{pk}/revoke"))

    def rights(self, number: int) -> list[Right]:
        """The people and teams who were let download a release, the newest first; for the study's admins."""
        return [Right.model_validate(row) for row in self._transport.rows(f"{self._path}/releases/{number}/rights")]

    def let_download(self, number: int, *, email: str = "", team: str | None = None, role: str | None = None) -> Right:
        """Let a person, or everybody with a role in a study, download a release; for the study's admins.

        Parameters
        ----------
        email
            The address of a person, who downloads with an account that has confirmed it.
        team, role
            The slug of a study that you read, and ``annotator``, ``researcher`` or ``admin`` in it.
        """
        body = {"email": email, "team": team, "role": role}
        return Right.model_validate(self._transport.post(f"{self._path}/releases/{number}/rights", body))

    def revoke_right(self, number: int, pk: int) -> Right:
        """Take a right to download a release away."""
        return Right.model_validate(self._transport.post(f"{self._path}/releases/{number}/rights/{pk}/revoke"))

    def training_data(self, number: int, format: str, *, aspect: str = "") -> Rows:
        """Rows of a release to train on: ``dpo``, ``reward``, ``kto`` (by an aspect), or a ``judge``'s chats."""
        return Rows(self._transport, f"{self._path}/releases/{number}/training", format=format, aspect=aspect)

    def download_for(self, number: int, tool: str, to: str | Path) -> Path:
        """A release as a project of ``label_studio`` or ``argilla``, as a ZIP file."""
        return self._transport.download(f"{self._path}/releases/{number}/for/{in_address(tool)}", Path(to))

    def _asked_for(self, body: Mapping[str, Any]) -> str | None:
        """Where the release is that is under way, if it is as it is asked for; None: ask for one."""
        newest = next(self._transport.rows(f"{self._path}/releases", limit=1), None)
        if newest is None or newest["state"] in ("done", "failed"):
            return None
        is_same = all(newest[name] == value for name, value in body.items() if name in newest)
        return f"{self._path}/releases/{newest['number']}" if is_same else None

    def _frozen(self, path: str, progress: bool | Told, poll: float) -> Release:
        release = Release.model_validate(self._transport.get(path))
        try:
            self.wait_for(release.job, progress=progress, poll=poll)
        except JobFailedError:
            release = Release.model_validate(self._transport.get(path))
            if release.state != "draft":
                raise
            return release
        return Release.model_validate(self._transport.get(path))
