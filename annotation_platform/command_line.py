"""``manage.py``: Django's commands, whose common troubles end in a sentence instead of a traceback.

``--traceback`` shows where they happened, as it does for what commands say by themselves.
"""

import codecs
import os
import sys
from io import TextIOWrapper

INTERRUPTED = 130  # as shells have it: 128 and the number of the signal
NO_SUCH_TABLE = "42P01"  # PostgreSQL's code


def main(arguments: list[str]) -> int:
    """Carry a command out; give the process's exit status."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    for stream in (sys.stdout, sys.stderr):
        # What a terminal has no sign for is no reason to end; a file of figures with signs missing would be.
        if isinstance(stream, TextIOWrapper) and (stream is sys.stderr or stream.isatty()):
            stream.reconfigure(errors="replace")
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(arguments)
    except BaseException as error:
        sentence = trouble(error)
        if sentence is None or "--traceback" in arguments:
            raise
        print(sentence, file=sys.stderr)
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def trouble(error: BaseException) -> str | None:
    """What to tell whoever typed the command; None for what is a mistake of the platform's."""
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError, InterfaceError, OperationalError

    if isinstance(error, KeyboardInterrupt):
        return "Stopped."
    if isinstance(error, UnicodeEncodeError) and _is_of_output(error.encoding):
        return f"What this prints has signs that {error.encoding} lacks. Set PYTHONIOENCODING=utf-8 before it."
    if isinstance(error, ImproperlyConfigured):
        return str(error)
    if isinstance(error, DatabaseError) and lacks_table(error):
        return "The database lacks a table that this needs. Bring it up to date first: manage.py migrate."
    if isinstance(error, OperationalError | InterfaceError):
        said = " ".join(str(error).split())
        return f"The database cannot be used ({said}). Check that it runs, and that DATABASE_URL names it."
    return None


def _is_of_output(encoding: str) -> bool:
    """Whether it is what standard output is written in, however either is spelled: ascii is ANSI_X3.4-1968, too."""
    written = getattr(sys.stdout, "encoding", None) or ""
    try:
        return codecs.lookup(encoding).name == codecs.lookup(written).name
    except LookupError:
        return False


def lacks_table(error: BaseException) -> bool:
    return getattr(error.__cause__, "sqlstate", "") == NO_SUCH_TABLE or "no such table" in str(error)
