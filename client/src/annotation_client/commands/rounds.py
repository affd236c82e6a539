"""Rounds of qualification: questions to pass before one may work."""

from typing import Annotated

import typer

from annotation_client.commands.shell import Slug, Token, Topic, Url, print_one, print_rows, settings_of, study_named

app = Topic(help="Rounds of qualification: questions to pass before one may work.", no_args_is_help=True)
Round = Annotated[int, typer.Argument(help="Its id.")]


@app.command("list")
def rounds(slug: Slug, url: Url, token: Token) -> None:
    """The rounds of a study, in order."""
    with study_named(url, token, slug) as study:
        print_rows(study.rounds.all(), "id", "title", "state", "rule", "items", "passed")


@app.command("make")
def make(
    slug: Slug,
    title: str,
    url: Url,
    token: Token,
    corpus: Annotated[int | None, typer.Option(help="Whose questions are asked.")] = None,
    existing: Annotated[str | None, typer.Option(help="A study of yours that becomes the round.")] = None,
    scheme: Annotated[str | None, typer.Option(help="A file or preset; otherwise as in this study.")] = None,
    setting: Annotated[list[str] | None, typer.Option(help="name=value, such as least_percent=80.")] = None,
) -> None:
    """A new round as a draft, after those that there are."""
    with study_named(url, token, slug) as study:
        chosen = settings_of(setting or ())
        print_one(study.rounds.make(title, corpus=corpus, existing=existing, scheme=scheme, **chosen))


@app.command("open")
def open_round(slug: Slug, round: Round, url: Url, token: Token) -> None:
    """Let annotators begin it."""
    with study_named(url, token, slug) as study:
        print_one(study.rounds.open(round))


@app.command("end")
def end(slug: Slug, round: Round, url: Url, token: Token) -> None:
    """Let nobody begin it any more."""
    with study_named(url, token, slug) as study:
        print_one(study.rounds.end(round))


@app.command("attempts")
def attempts(slug: Slug, round: Round, url: Url, token: Token) -> None:
    """Who tried, and how it went."""
    with study_named(url, token, slug) as study:
        print_rows(study.rounds.attempts(round), "id", "pseudonym", "verdict", "rule_says", "matched", "compared")


@app.command("decide")
def decide(
    slug: Slug,
    attempt: int,
    verdict: Annotated[str, typer.Argument(help="passed or failed.")],
    url: Url,
    token: Token,
    note: Annotated[str, typer.Option(help="What they read.")] = "",
) -> None:
    """Decide on an attempt that waits for a person."""
    with study_named(url, token, slug) as study:
        print_one(study.rounds.decide(attempt, verdict, note=note))
