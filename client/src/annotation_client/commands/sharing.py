"""Who may have a release: links that end, people and teams."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from annotation_client._sync.study import Study
from annotation_client.commands.releases import Number
from annotation_client.commands.shell import Slug, Token, Topic, Url, print_rows, say, study_named

app = Topic()


@app.command()
def link(
    slug: Slug,
    number: Number,
    url: Url,
    token: Token,
    days: Annotated[int, typer.Option(help="How long it lets anybody in.")] = 30,
    note: Annotated[str, typer.Option(help="For whom it is.")] = "",
) -> None:
    """A link that lets anybody who has it download a release; it is printed."""
    with study_named(url, token, slug) as study:
        made = study.make_link(number, days=days, note=note)
        say(made.link, made)


@app.command()
def allow(
    slug: Slug,
    number: Number,
    url: Url,
    token: Token,
    email: Annotated[str, typer.Option(help="Of a person.")] = "",
    team: Annotated[str | None, typer.Option(help="A study, by its name in addresses.")] = None,
    role: Annotated[str | None, typer.Option(help="annotator, researcher or admin of that study.")] = None,
) -> None:
    """Let a person or a team download a release, who need not be in the study; the right's number is printed."""
    with study_named(url, token, slug) as study:
        made = study.let_download(number, email=email, team=team, role=role)
        say(made.id, made)


def _list(name: str, tells: str, rows: Callable[[Study, int], Iterable[BaseModel]], *fields: str) -> None:
    def command(slug: Slug, number: Number, url: Url, token: Token) -> None:
        with study_named(url, token, slug) as study:
            print_rows(rows(study, number), "id", *fields)

    app.command(name, help=tells)(command)


def _take_back(name: str, does: str, revoke: Callable[[Study, int, int], Any], said: str) -> None:
    def command(
        slug: Slug,
        number: Number,
        key: Annotated[int, typer.Argument(help="As the list has it.")],
        url: Url,
        token: Token,
    ) -> None:
        with study_named(url, token, slug) as study:
            made = revoke(study, number, key)
            say(said.format(made.id), made)

    app.command(name, help=does)(command)


_list(
    *("links", "The links to a release, and how often each was used.", Study.links),
    *("note", "downloads", "expires_at", "revoked_at", "link"),
)
_list(
    *("allowed", "The people and teams who were let download a release.", Study.rights),
    *("email", "team", "role", "downloads", "revoked_at"),
)
_take_back("unlink", "Let nobody in by a link any more.", Study.revoke_link, "Link {} lets nobody in any more.")
_take_back("disallow", "Take a right to download a release away.", Study.revoke_right, "Right {} is taken away.")
