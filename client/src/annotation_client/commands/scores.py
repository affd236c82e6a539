"""Scores back into the programs that the answers came from."""

from typing import Annotated

import typer

from annotation_client.commands.shell import Slug, Token, Topic, Url, print_one, print_rows, say, study_named

app = Topic(help="Scores back into the programs that the answers came from.", no_args_is_help=True)
Program = Annotated[str, typer.Argument(help="langfuse, phoenix or langsmith.")]


@app.command("list")
def destinations(slug: Slug, url: Url, token: Token) -> None:
    """The programs that scores go back to."""
    with study_named(url, token, slug) as study:
        print_rows(study.score_destinations.all(), "program", "address", "what", "aspects", "has_secret")


@app.command("save")
def save(
    slug: Slug,
    program: Program,
    address: str,
    url: Url,
    token: Token,
    aspect: Annotated[list[str], typer.Option(help="Whose scores go; once for each.")],
    secret: Annotated[
        str, typer.Option(envvar="SCORE_SECRET", help="Its key; empty: the stored one. Better in the environment.")
    ] = "",
    public_key: Annotated[str, typer.Option(help="Langfuse has one beside the secret one.")] = "",
    what: Annotated[str, typer.Option(help="mean: one score for an answer; each: one for each judgment.")] = "mean",
    comments: Annotated[bool, typer.Option(help="Also what annotators wrote.")] = False,
) -> None:
    """Set a program up, or change it."""
    with study_named(url, token, slug) as study:
        made = study.score_destinations.save(
            program,
            address,
            aspects=aspect,
            secret=secret,
            public_key=public_key,
            what=what,
            with_comments=comments,
        )
        say(f"Scores can be sent to {made.program}.", made)


@app.command("preview")
def preview(slug: Slug, program: Program, url: Url, token: Token) -> None:
    """What would be sent now."""
    with study_named(url, token, slug) as study:
        print_one(study.score_destinations.preview(program))


@app.command("send")
def send(slug: Slug, program: Program, url: Url, token: Token) -> None:
    """Send what is new or has changed, and wait until it is there."""
    with study_named(url, token, slug) as study:
        done = study.wait_for(study.score_destinations.send(program).address)
        say(f"{done.done} of {done.total} were sent.", done)


@app.command("sent")
def sent(slug: Slug, program: Program, url: Url, token: Token) -> None:
    """Every score as it was last sent, and what the program said to it."""
    with study_named(url, token, slug) as study:
        print_rows(study.score_destinations.sent(program), "id", "trace", "aspect", "value", "label", "state", "reply")


@app.command("delete")
def delete(slug: Slug, program: Program, url: Url, token: Token) -> None:
    """Forget the key and the log; what was sent stays there."""
    with study_named(url, token, slug) as study:
        study.score_destinations.delete(program)
        say(f"{program} is forgotten.", {"program": program})
