"""Releases: freezing, downloading, checking, comparing, and what becomes of them elsewhere."""

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from annotation_client._sync.platform import Platform
from annotation_client.archives import release_folder, verify_release
from annotation_client.commands.shell import (
    REFUSED,
    Slug,
    Token,
    Topic,
    Url,
    connected,
    print_rows,
    say,
    study_named,
    told,
    wants_json,
    whole_file,
)
from annotation_client.errors import NotThereError, ReleaseDiffersError
from annotation_client.models import GivenRelease, Moved, Release

app = Topic()
Number = Annotated[int, typer.Argument(help="Of the release.")]


@app.command()
def freeze(
    slug: Slug,
    title: str,
    url: Url,
    token: Token,
    author: Annotated[list[str], typer.Option(help="“Family, Given”; once for each.")],
    licence: Annotated[str, typer.Option(help="As SPDX names it.")] = "CC-BY-4.0",
    description: Annotated[str, typer.Option(help="For readers who know nothing of the study.")] = "",
    embargo_until: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="No link lets anybody download before that day.")
    ] = None,
    prompts: Annotated[bool, typer.Option(help="Also what language models were asked.")] = True,
    replies: Annotated[bool, typer.Option(help="Also what they replied, word by word.")] = False,
) -> None:
    """Make a release. What may say who somebody is, is listed first and is to be settled."""
    with study_named(url, token, slug) as study:
        until = embargo_until.date() if embargo_until else None
        made = study.freeze(
            title,
            authors=author,
            licence=licence,
            description=description,
            with_prompts=prompts,
            with_replies=replies,
            embargo_until=until,
        )
        _print_made(made)


@app.command()
def settle(
    slug: Slug,
    number: Number,
    url: Url,
    token: Token,
    verdict: Annotated[list[str], typer.Option(help="id=kept, id=removed")],
) -> None:
    """Settle what was found in a release."""
    with study_named(url, token, slug) as study:
        said = {int(each.partition("=")[0]): each.partition("=")[2] for each in verdict}
        _print_made(study.settle(number, said))


def _print_made(made: Release) -> None:
    say(f"Release {made.number} is {made.state}. {made.digest}".strip(), made)
    if not wants_json():
        print_rows(made.findings, "id", "kind", "text", "times", "verdict")


@app.command()
def releases(slug: Slug, url: Url, token: Token) -> None:
    """The releases of a study."""
    with study_named(url, token, slug) as study:
        print_rows(study.releases(), "number", "title", "state", "digest")


@app.command()
def download(slug: Slug, number: Number, url: Url, token: Token, folder: Path = Path()) -> None:
    """Download a release, and check all its files; what broke off goes on where it was."""
    with study_named(url, token, slug) as study:
        there = study.download_release(number, folder)
        say(there, {"folder": str(there)})


@app.command()
def withdraw(
    slug: Slug,
    number: Number,
    url: Url,
    token: Token,
    because: Annotated[str, typer.Option(help="What others read in its place.")],
) -> None:
    """Let nobody download a release any more; its number, checksum and the reason stay."""
    with study_named(url, token, slug) as study:
        made = study.withdraw(number, because=because)
        say(f"Release {made.number} is withdrawn.", made)


@app.command()
def compare(
    slug: Slug,
    number: Number,
    url: Url,
    token: Token,
    since: Annotated[int | None, typer.Option(help="Another release; otherwise the one before.")] = None,
) -> None:
    """What a release has that another one has not, and how figures moved."""
    with study_named(url, token, slug) as study:
        found = study.changes(number, since=since)
        counts = f"{found.added} added, {found.changed} changed, {found.gone} gone"
        say(f"Release {found.after} beside release {found.before}: judgments: {counts}.", found)
        if not wants_json():
            rows = [
                {"aspect": each.aspect, "figure": each.figure, "before": _before(each), "after": _after(each)}
                for each in found.moved
            ]
            print_rows(rows, "aspect", "figure", "before", "after")


def _before(moved: Moved) -> str:
    return _figure(moved.before, moved.before_interval)


def _after(moved: Moved) -> str:
    return _figure(moved.after, moved.after_interval)


def _figure(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


@app.command()
def training(
    slug: Slug,
    number: Number,
    format: Annotated[str, typer.Argument(help="dpo, reward, kto, or judge (chats).")],
    url: Url,
    token: Token,
    aspect: Annotated[str, typer.Option(help="Says which answer is better; chats need none.")] = "",
    to: Annotated[Path | None, typer.Option(help="A file for lines of JSON; otherwise they are printed.")] = None,
) -> None:
    """Rows of a release to train on."""
    with study_named(url, token, slug) as study:
        rows = study.training_data(number, format, aspect=aspect)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if to is None:
            sys.stdout.writelines(lines)
        else:
            with whole_file(to) as file:
                file.writelines(lines)
            say(to, {"file": str(to)})


@app.command("for")
def for_tool(
    slug: Slug,
    number: Number,
    tool: Annotated[str, typer.Argument(help="label_studio or argilla.")],
    to: Annotated[Path, typer.Argument(help="A ZIP file.")],
    url: Url,
    token: Token,
) -> None:
    """A release as a project of another tool."""
    with study_named(url, token, slug) as study:
        there = study.download_for(number, tool, to)
        say(there, {"file": str(there)})


@app.command()
def given(
    url: Url,
    token: Token,
    to: Annotated[Path | None, typer.Option(help="Download all of them into this folder.")] = None,
) -> None:
    """The releases of other studies that you may download."""
    with connected(url, token) as platform:
        found = platform.releases()
        if to is None:
            print_rows(found, "study", "number", "title", "digest", "embargo_until", "withdrawn_because")
        else:
            _download_all(platform, [each for each in found if each.file], to)


def _download_all(platform: Platform, releases: Sequence[GivenRelease], to: Path) -> None:
    """Download releases and print their folders; of one that cannot be, say why, and go on with the others."""
    rows = []
    for each in releases:
        try:
            rows.append({"folder": str(_downloaded(platform, each, to))})
        except (ReleaseDiffersError, NotThereError, FileExistsError) as error:
            typer.echo(f"Release {each.number} of {each.study}: {error}", err=True)
    print_rows(rows, "folder")
    if len(rows) < len(releases):
        raise typer.Exit(REFUSED)


def _downloaded(platform: Platform, release: GivenRelease, to: Path) -> Path:
    """Where a release is; one that is there already, and whole, is not downloaded again."""
    there = release_folder(to, release.study, release.number)
    if there.is_dir() and verify_release(there) == release.digest:
        return there
    return platform.download(release, to)


@app.command()
def verify(folder: Path) -> None:
    """Check all files of a release, without the platform."""
    with told():
        digest = verify_release(folder)
        say(f"All files are as they were frozen. SHA-256 of the release: {digest}", {"sha256": digest})
