"""What all that is done with a study rests on: its address, and waiting for long work."""

import asyncio
import time

from annotation_client._async.transport import AsyncTransport
from annotation_client.errors import JobFailedError, WaitedTooLongError
from annotation_client.models import Job, StudyRecord
from annotation_client.progress import Told, shown

POLL = 2.0  # seconds
OVER = ("done", "failed", "paused", "draft")


class AsyncStudyBase:
    """One study. ``record`` is what the platform said of it last."""

    def __init__(self, transport: AsyncTransport, record: StudyRecord) -> None:
        self._transport, self.record = transport, record
        self._path = f"/studies/{record.slug}"

    def __repr__(self) -> str:
        return f"<study {self.record.slug}: {self.record.name}>"

    @property
    def slug(self) -> str:
        """Names it in addresses; it never changes."""
        return self.record.slug

    async def wait_for(
        self, job: str, *, progress: bool | Told = True, poll: float = POLL, timeout: float | None = None
    ) -> Job:
        """Wait for long work by the address of its job (``run.job``).

        Raises
        ------
        JobFailedError
            When it failed, paused, or waits for a person.
        WaitedTooLongError
            When it takes longer than ``timeout`` seconds.
        """
        found = await ended(self._transport, job, progress=progress, poll=poll, timeout=timeout)
        if found.state != "done":
            raise JobFailedError(f"{found.id} is {found.state}: {found.error or 'it waits for a person.'}")
        return found


async def ended(
    transport: AsyncTransport, job: str, *, progress: bool | Told, poll: float, timeout: float | None
) -> Job:
    """A job once it is over, however it ended.

    Raises
    ------
    WaitedTooLongError
        When it takes longer than ``timeout`` seconds.
    """
    end = None if timeout is None else time.monotonic() + timeout
    with shown(progress, "waiting") as told:
        while True:
            found = Job.model_validate(await transport.get(job))
            told(found.done, found.total)
            if found.state in OVER:
                return found
            await pause_until(poll, end)


async def pause_until(poll: float, end: float | None) -> None:
    """Wait ``poll`` seconds, before which ``end`` must not come.

    Raises
    ------
    WaitedTooLongError
        When it would.
    """
    if end is not None and time.monotonic() + poll > end:
        raise WaitedTooLongError("What was waited for did not happen in time; nothing is lost, wait again.")
    await asyncio.sleep(poll)
