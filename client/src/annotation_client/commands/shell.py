"""What every command needs: where the platform is and as whom, and how it is told what went wrong and what there is."""

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TextIO, TypeVar

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotation_client._sync.platform import Platform
from annotation_client._sync.study import Study
from annotation_client.errors import (
    AnnotationError,
    AnnotationWarning,
    BrokenError,
    BusyError,
    UnreachableError,
    WaitedTooLongError,
)

Url = Annotated[str, typer.Option(envvar="ANNOTATION_URL", help="Where the platform is.")]
Token = Annotated[str, typer.Option(envvar="ANNOTATION_TOKEN", help="From My account; better in the environment.")]
Slug = Annotated[str, typer.Argument(help="The study's name in addresses.")]

REFUSED, LATER, WAITED = 1, 3, 4
"""Statuses: the platform said no, or what was given cannot be; try again later; it took longer than the timeout."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_Function = TypeVar("_Function", bound=Callable[..., Any])
_as_json: ContextVar[bool] = ContextVar("as_json", default=False)


class Topic(typer.Typer):
    """Commands that have ``--json``."""

    def command(self, name: str | None = None, **how: Any) -> Callable[[_Function], _Function]:
        add = super().command(name, **how)

        def decorate(function: _Function) -> _Function:
            add(_with_json(function))
            return function

        return decorate


def _with_json(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def run(*, as_json: bool, **given: Any) -> Any:
        before = _as_json.set(as_json)
        try:
            return function(**given)
        finally:
            _as_json.reset(before)

    option = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
    own = signature(function)
    added = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=option)
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), added])  # type: ignore[attr-defined]
    run.__annotations__ = {**function.__annotations__, "as_json": option}
    return run


@contextmanager
def connected(url: str, token: str) -> Iterator[Platform]:
    """The platform; what goes wrong is a sentence on standard error and a status."""
    with told(), Platform(url, token=token) as platform:
        yield platform


@contextmanager
def study_named(url: str, token: str, slug: str) -> Iterator[Study]:
    with connected(url, token) as platform:
        yield platform.studies.get(slug)


@contextmanager
def told() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", AnnotationWarning)
            warnings.showwarning = _echo
            yield
    except (AnnotationError, OSError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(_status(error)) from None


def _echo(message: Warning | str, *_: object, **__: object) -> None:
    typer.echo(str(message), err=True)


def _status(error: Exception) -> int:
    if isinstance(error, UnreachableError | BusyError | BrokenError):
        return LATER
    return WAITED if isinstance(error, WaitedTooLongError) else REFUSED


def wants_json() -> bool:
    return _as_json.get()


def print_rows(rows: Iterable[BaseModel | Mapping[str, Any]], *fields: str) -> None:
    """A table for people, these fields with tabs between for programs, or all as JSON."""
    found = list(map(_mapping, rows))
    if wants_json():
        typer.echo(json.dumps(found, ensure_ascii=False, indent=1))
    elif not sys.stdout.isatty():
        for row in found:
            typer.echo("\t".join(_words(row[field]) for field in fields))
    else:
        table = Table(*fields)
        for row in found:
            table.add_row(*(Text(_words(row[field])) for field in fields))  # else “[sic]” would be markup
        Console().print(table)


def print_one(row: BaseModel | Mapping[str, Any]) -> None:
    """Each field on a line, or all as JSON."""
    found = _mapping(row)
    if wants_json():
        typer.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        for name, value in found.items():
            typer.echo(f"{name}\t{_words(value)}")


def say(text: object, row: BaseModel | Mapping[str, Any]) -> None:
    """A word for people, or what it is of as JSON."""
    typer.echo(json.dumps(_mapping(row), ensure_ascii=False, indent=1) if wants_json() else str(text))


@contextmanager
def whole_file(to: Path) -> Iterator[TextIO]:
    """A file that has its name only once all of it is written; until then, one that was there stays. What is none,
    or leads to one elsewhere, is written into."""
    if to.is_symlink() or (to.exists() and not to.is_file()):  # such as /dev/stdout
        with to.open("w", encoding="utf-8") as file:
            yield file
        return
    part = to.with_name(f"{to.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            yield file
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)


def settings_of(texts: Iterable[str]) -> dict[str, Any]:
    """What ``name=value`` says, each value as JSON or else as text.

    Raises
    ------
    ValueError
        When one has no “=”.
    """
    return dict(map(_setting, texts))


def name_and_value(text: str) -> tuple[str, str]:
    """
    Raises
    ------
    ValueError
        When it has no “=”.
    """
    name, sign, value = text.partition("=")
    if not sign:
        raise ValueError(f"“{text}” is to be a name and its value, as in name=value.")
    return name, value


def _setting(text: str) -> tuple[str, Any]:
    name, value = name_and_value(text)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _mapping(row: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    return row.model_dump(mode="json") if isinstance(row, BaseModel) else dict(row)


def _words(value: Any) -> str:
    """A value on one line, without what ends fields and lines, or steers a terminal."""
    return CONTROL.sub(" ", json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value))
