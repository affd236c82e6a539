"""Releases: freezing, downloading, checking, and who may have them."""

from pathlib import Path
from typing import Annotated

import typer

from annotation_client.archives import verify_release
from annotation_client.commands.shell import Slug, Token, Url, connected, print_rows, study_named, told

app = typer.Typer()


@app.command()
def freeze(
    slug: Slug,
    title: str,
    url: Url,
    token: Token,
    author: Annotated[list[str], typer.Option(help="“Family, Given”; once for each.")],
    licence: Annotated[str, typer.Option(help="As SPDX names it.")] = "CC-BY-4.0",
) -> None:
    """Make a release. What may say who somebody is, is listed first and is to be settled."""
    with study_named(url, token, slug) as study:
        made = study.freeze(title, authors=author, licence=licence)
        typer.echo(f"Release {made.number} is {made.state}. {made.digest}".strip())
        print_rows(made.findings, "id", "kind", "text", "times", "verdict")


@app.command()
def settle(
    slug: Slug,
    number: int,
    url: Url,
    token: Token,
    verdict: Annotated[list[str], typer.Option(help="id=kept, id=removed")],
) -> None:
    """Settle what was found in a release."""
    with study_named(url, token, slug) as study:
        said = {int(each.partition("=")[0]): each.partition("=")[2] for each in verdict}
        made = study.settle(number, said)
        typer.echo(f"Release {made.number} is {made.state}. {made.digest}".strip())


@app.command()
def releases(slug: Slug, url: Url, token: Token) -> None:
    """The releases of a study."""
    with study_named(url, token, slug) as study:
        print_rows(study.releases(), "number", "title", "state", "digest")


@app.command()
def download(slug: Slug, number: int, url: Url, token: Token, folder: Path = Path()) -> None:
    """Download a release, and check all its files."""
    with study_named(url, token, slug) as study:
        typer.echo(study.download_release(number, folder))


@app.command()
def allow(
    slug: Slug,
    number: int,
    url: Url,
    token: Token,
    email: Annotated[str, typer.Option(help="Of a person.")] = "",
    team: Annotated[str | None, typer.Option(help="A study, by its name in addresses.")] = None,
    role: Annotated[str | None, typer.Option(help="annotator, researcher or admin of that study.")] = None,
) -> None:
    """Let a person or a team download a release, who need not be in the study; the right's number is printed."""
    with study_named(url, token, slug) as study:
        typer.echo(study.let_download(number, email=email, team=team, role=role).id)


@app.command()
def allowed(slug: Slug, number: int, url: Url, token: Token) -> None:
    """The people and teams who were let download a release."""
    with study_named(url, token, slug) as study:
        print_rows(study.rights(number), "id", "email", "team", "role", "downloads", "revoked_at")


@app.command()
def disallow(slug: Slug, number: int, right: int, url: Url, token: Token) -> None:
    """Take a right to download a release away."""
    with study_named(url, token, slug) as study:
        study.revoke_right(number, right)


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
            for each in found:
                if each.file:
                    typer.echo(platform.download(each, to))


@app.command()
def verify(folder: Path) -> None:
    """Check all files of a release, without the platform."""
    with told():
        typer.echo(f"All files are as they were frozen. SHA-256 of the release: {verify_release(folder)}")
