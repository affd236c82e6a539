"""Where a command writes its file to: said to be wrong before anything is computed."""

from pathlib import Path

from django.core.management.base import CommandError

STREAM = "-"
LONGEST_SHOWN = 60  # characters of a path


def output_file(given: str | Path) -> Path:
    """The file to write; of a link, what it leads to.

    Files are written beside their place and put there when they are whole, so what stands there is replaced: a device
    such as ``/dev/null`` would be gone afterwards, for everybody on the machine.
    """
    text = str(given)
    path = Path(given)
    if not text or path == Path():
        raise CommandError("--output is empty; give a file name.")
    try:
        if path.is_dir():
            raise CommandError(f"{path} is a folder; add a file name.")
        if text == STREAM or (path.exists() and not path.is_file()):
            raise CommandError(f"{path} is no file, and the result is written as a whole; give a file name.")
        if not path.parent.is_dir():
            raise CommandError(f"{path} cannot be written: there is no {path.parent}.")
        return path.resolve() if path.is_symlink() else path
    except OSError as error:
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        raise CommandError(f"{shown} cannot be written: {error.strerror}.") from None
