"""Everything that writes bundles of figures: requesting, claiming, making, and returning to those left behind."""

import hashlib
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from annotation_platform.analysis.models import AgreementSnapshot, PaperBundle
from annotation_platform.analysis.selectors.snapshots import latest_snapshot
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError
from annotation_platform.scoring.heartbeat import Heartbeat, RunLostError, RunStoppedError
from annotation_platform.studies.models import Member, Study

logger = logging.getLogger(__name__)


class NoFiguresError(ConflictError):
    """There is no snapshot yet that a bundle could be made of."""


def request_bundle(*, study: Study, requested_by: Member) -> PaperBundle:
    """Put a bundle of the newest snapshot into the queue, or give the one that is there or under way already.

    Raises
    ------
    NoFiguresError
        When the study has no snapshot.
    """
    snapshot = latest_snapshot(study)
    if snapshot is None:
        raise NoFiguresError("There are no figures yet. They are computed when a batch has closed.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        made = snapshot.paper_bundles.exclude(status=PaperBundle.Status.FAILED).first()
        if made is not None and (made.is_active or made.path.is_file()):
            return made
        return PaperBundle.objects.create(
            study=study,
            snapshot=snapshot,
            requested_by=requested_by,
            heartbeat_at=timezone.now(),  # its message is about to be sent; see bundles_to_enqueue
        )


def make_bundle(*, bundle_id: int) -> PaperBundle | None:
    """Claim a bundle and write its file; None when somebody else has it or nothing is left to do.

    Afterwards it is DONE, or FAILED with the reason in ``error``, or PENDING again because this process is about to
    end. One whose worker dies stays RUNNING until it is stale; whoever claims it then starts anew.
    """
    bundle = _claim(bundle_id)
    if bundle is None:
        return None
    try:
        _make(bundle)
    except RunLostError as error:
        logger.warning("Bundle %s: %s", bundle.pk, error)
    except RunStoppedError:
        _leave(bundle, status=PaperBundle.Status.PENDING, worker="", heartbeat_at=None, done=0)
    except (OperationalError, InterfaceError):
        raise  # the database is away: nothing can be written now, so the row goes stale and is taken up again
    except DomainError as error:
        _fail(bundle, str(error))
    except OSError as error:
        _fail(bundle, f"{settings.EXPORTS_DIR} cannot be written: {error.strerror or error}.")
    except Exception as error:
        logger.exception("Bundle %s failed", bundle.pk)
        _fail(bundle, f"An error in the platform stopped it; its log has the details ({type(error).__name__}).")
    bundle.refresh_from_db()
    return bundle


def write_bundle_file(
    *, study: Study, snapshot: AgreementSnapshot, path: Path, on_chart: Callable[[int], None] = lambda charts: None
) -> int:
    """Write the archive to ``path``, which is there whole or not at all; return how many charts are in it.

    Raises
    ------
    InvalidInputError
        The file cannot be written.
    """
    from annotation_platform.analysis.paper.archive import write_bundle  # the charts: for the worker

    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            drawn = write_bundle(study=study, snapshot=snapshot, file=file, on_chart=on_chart)
        os.replace(part, path)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):  # it is gone, or could not be made at all
            part.unlink()
    return drawn


def bundles_to_enqueue() -> list[int]:
    """Keys of the bundles whose message seems lost or whose worker seems dead; each pending one is handed out once
    in every period of staleness."""
    waiting = PaperBundle.objects.waiting()
    pending = waiting.filter(status=PaperBundle.Status.PENDING)
    unheard = [
        pk for pk in pending.values_list("pk", flat=True) if pending.filter(pk=pk).update(heartbeat_at=timezone.now())
    ]
    return unheard + list(waiting.filter(status=PaperBundle.Status.RUNNING).values_list("pk", flat=True))


def _claim(bundle_id: int) -> PaperBundle | None:
    claimed = (
        PaperBundle.objects.claimable()
        .filter(pk=bundle_id)
        .update(
            status=PaperBundle.Status.RUNNING,
            worker=secrets.token_hex(8),
            heartbeat_at=timezone.now(),
            done=0,
            error="",
        )
    )
    if not claimed:
        return None
    return PaperBundle.objects.select_related("study", "snapshot").get(pk=bundle_id)


def _make(bundle: PaperBundle) -> None:
    from annotation_platform.analysis.paper.archive import count_charts

    folder = Path(settings.EXPORTS_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    for left_behind in folder.glob(f".figures-{bundle.pk}-*.part"):
        left_behind.unlink(missing_ok=True)
    bundle.total = count_charts(bundle.snapshot)
    PaperBundle.objects.filter(pk=bundle.pk, worker=bundle.worker).update(total=bundle.total)
    with Heartbeat(bundle) as heartbeat:
        write_bundle_file(study=bundle.study, snapshot=bundle.snapshot, path=bundle.path, on_chart=heartbeat.beat)
    with bundle.path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    try:
        _leave(
            bundle,
            status=PaperBundle.Status.DONE,
            done=heartbeat.done,
            size=bundle.path.stat().st_size,
            sha256=sha256,
            finished_at=timezone.now(),
        )
    except RunLostError:
        bundle.path.unlink(missing_ok=True)
        raise


def _leave(bundle: PaperBundle, **changes: Any) -> None:
    """Let go of a bundle, if it is still ours."""
    ours = PaperBundle.objects.filter(pk=bundle.pk, worker=bundle.worker, status=PaperBundle.Status.RUNNING)
    if not ours.update(**changes):
        raise RunLostError(f"{bundle} was taken over by another worker.")


def _fail(bundle: PaperBundle, reason: str) -> None:
    logger.warning("Bundle %s failed: %s", bundle.pk, reason)
    PaperBundle.objects.filter(pk=bundle.pk, worker=bundle.worker, status=PaperBundle.Status.RUNNING).update(
        status=PaperBundle.Status.FAILED, error=reason, finished_at=timezone.now()
    )
