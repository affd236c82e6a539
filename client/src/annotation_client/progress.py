"""How far something is, while it is waited for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Told = Callable[[int, int], None]
"""Called with how much is done, and of how much (0: not known yet)."""


@contextmanager
def shown(progress: bool | Told, title: str, *, of_bytes: bool = False) -> Iterator[Told]:
    """A bar on standard error (True), nothing (False), or a function of yours."""
    if callable(progress):
        yield progress
    elif not progress:
        yield lambda done, total: None
    else:
        how_far = DownloadColumn() if of_bytes else MofNCompleteColumn()
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), how_far, TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(title, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total or None)
