"""The scheme of a study, and its versions."""

from typing import Annotated, Any

import typer

from annotation_client.commands.shell import (
    Slug,
    Token,
    Topic,
    Url,
    connected,
    print_one,
    print_rows,
    say,
    study_named,
)

app = Topic(help="Schemes: what is judged, and how.", no_args_is_help=True)


@app.command("list")
def presets(url: Url, token: Token) -> None:
    """The presets."""
    with connected(url, token) as platform:
        print_rows(({"key": key, "title": title} for key, title in platform.schemes().items()), "key", "title")


@app.command("check")
def check(
    scheme: Annotated[str, typer.Argument(help="A YAML or JSON file, or a preset.")], url: Url, token: Token
) -> None:
    """Say what is in a scheme, or each mistake with its line."""
    with connected(url, token) as platform:
        found: dict[str, Any] = platform.check_scheme(scheme)
        say("\n".join(found["summary"]), found)


@app.command("show")
def show(slug: Slug, url: Url, token: Token) -> None:
    """The scheme of a study."""
    with study_named(url, token, slug) as study:
        print_one(study.scheme.definition())


@app.command("versions")
def versions(slug: Slug, url: Url, token: Token) -> None:
    """Its versions."""
    with study_named(url, token, slug) as study:
        print_rows(study.scheme.versions(), "number", "key", "is_current", "signature")


@app.command("edit")
def edit(
    slug: Slug,
    scheme: Annotated[str, typer.Argument(help="A YAML or JSON file; of the same key.")],
    url: Url,
    token: Token,
    rename: Annotated[list[str] | None, typer.Option(help="“before = after”, of an aspect or label.")] = None,
    migrate: Annotated[bool, typer.Option(help="Do it; otherwise it is only counted.")] = False,
) -> None:
    """Say what an edited scheme would do to the judgments, or give it to the study."""
    with study_named(url, token, slug) as study:
        study.wait_for(study.scheme.ask(scheme, renamings=rename or (), migrate=migrate).address)
        made = study.scheme.migrations()[0]
        print_one(made)
