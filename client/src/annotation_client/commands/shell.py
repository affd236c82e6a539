"""What every command needs: where the platform is and as whom, and how it is told what went wrong and what there is."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from annotation_client._sync.platform import Platform
from annotation_client._sync.study import Study
from annotation_client.errors import AnnotationError

Url = Annotated[str, typer.Option(envvar="ANNOTATION_URL", help="Where the platform is.")]
Token = Annotated[str, typer.Option(envvar="ANNOTATION_TOKEN", help="From My account; better in the environment.")]
Slug = Annotated[str, typer.Argument(help="The study's name in addresses.")]


@contextmanager
def connected(url: str, token: str) -> Iterator[Platform]:
    """The platform; what goes wrong is a sentence on standard error and status 1."""
    with told(), Platform(url, token=token) as platform:
        yield platform


@contextmanager
def study_named(url: str, token: str, slug: str) -> Iterator[Study]:
    with connected(url, token) as platform:
        yield platform.studies.get(slug)


@contextmanager
def told() -> Iterator[None]:
    try:
        yield
    except (AnnotationError, OSError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


def print_rows(rows: Iterable[BaseModel], *fields: str) -> None:
    """A table for people, or fields with tabs between for programs."""
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(str(getattr(row, field)) for field in fields))
        return
    table = Table(*fields)
    for row in rows:
        table.add_row(*(str(getattr(row, field)) for field in fields))
    Console().print(table)
