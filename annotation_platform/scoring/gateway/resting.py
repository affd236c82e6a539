"""A server that wants to be left alone for longer than a run waits: nothing more is asked, and people are told when."""

from datetime import UTC, datetime, timedelta

from annotation_platform.scoring.gateway.endpoint import ModelServerError, UnavailableError

LONGEST_WAIT = 120.0  # seconds of Retry-After that are waited for
LONGEST_REST = 366 * 86_400.0  # of which the end is told; beyond that the server means something else


def wants_rest(error: Exception) -> bool:
    return isinstance(error, UnavailableError) and (error.retry_after or 0.0) > LONGEST_WAIT


def check_rest(error: UnavailableError, server: str) -> None:
    """
    Raises
    ------
    ModelServerError
        The server wants to be left alone for longer than anybody waits.
    """
    if wants_rest(error):
        until = datetime.now(UTC) + timedelta(seconds=min(error.retry_after or 0.0, LONGEST_REST))
        raise ModelServerError("scoring.server_rests", server=server, why=error.reason, until=f"{until:%Y-%m-%d %H:%M}")
