# Written by client/scripts/make_sync.py from "_async"; change that.
"""A study's way to another version of its scheme."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_client._sync.transport import Transport
from annotation_client.models import Job, Migration, Version
from annotation_client.sending import scheme_of


class SchemeVersions:
    """``study.scheme``: which versions it had, what an edited one does to its judgments, and going there."""

    def __init__(self, transport: Transport, study: str) -> None:
        self._transport, self._path = transport, f"{study}/scheme"

    def definition(self) -> dict[str, Any]:
        """As it is frozen; edit a copy of it."""
        found: dict[str, Any] = self._transport.get(self._path)
        return found

    def versions(self) -> list[Version]:
        """Those that the study has and had, the newest first."""
        reply = self._transport.get(f"{self._path}/versions")
        return [Version.model_validate(row) for row in reply["results"]]

    def migrations(self) -> list[Migration]:
        """What was asked for, the newest first; for the study's admins."""
        return [Migration.model_validate(row) for row in self._transport.rows(f"{self._path}/migrations")]

    def ask(self, scheme: str | Mapping[str, Any], *, renamings: Sequence[str] = (), migrate: bool = False) -> Job:
        """Have counted what an edited scheme would do to the judgments, or (``migrate``) give it to the study.

        Parameters
        ----------
        scheme
            The path of a YAML or JSON file, or a definition; of the same key.
        renamings
            What has another name now, as in ``"completeness = fullness"``.

        Returns
        -------
        Job
            To wait for: ``study.wait_for(job.address)``; :meth:`migrations` has the counts then.
        """
        body = {
            "scheme": scheme_of(scheme),
            "renamings": list(renamings),
            "wanted": "migrate" if migrate else "count",
        }
        return Job.model_validate(self._transport.post(f"{self._path}/migrations", body))
