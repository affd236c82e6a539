"""Making the file with a person's own data, whatever there is of it: a job of the worker."""

from annotation_platform.crowd.home.archive import write_archive
from annotation_platform.crowd.home.own_data import PARTS
from annotation_platform.crowd.takeout.models import Takeout
from annotation_platform.jobs import files
from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.heartbeat import Heartbeat


def make_takeout(takeout: Takeout, heartbeat: Heartbeat) -> None:
    """Write the file of a row that this process holds, part by part."""
    files.make_file(
        takeout,
        heartbeat,
        total=len(PARTS),
        write=lambda: files.write_whole(
            takeout.path, lambda file: write_archive(user=takeout.user, file=file, on_parts=heartbeat.beat)
        ),
    )


TAKEOUTS = JobKind("own data", Takeout, make_takeout)
