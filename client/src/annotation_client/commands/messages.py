"""What is said with annotators."""

from typing import Annotated

import typer

from annotation_client.commands.shell import Slug, Token, Topic, Url, print_rows, say, study_named

app = Topic(help="What is said with annotators.", no_args_is_help=True)
Annotator = Annotated[int, typer.Argument(help="Their number among the members.")]
Assignment = Annotated[int, typer.Option(help="The task that it is about; 0: the study.")]


@app.command("list")
def threads(
    slug: Slug, url: Url, token: Token, only: Annotated[str | None, typer.Option(help="waiting or unread.")] = None
) -> None:
    """The conversations, those with the newest word first."""
    with study_named(url, token, slug) as study:
        print_rows(study.talk.threads(only=only), "annotator", "pseudonym", "assignment", "messages", "waits", "unread")


@app.command("read")
def read(slug: Slug, annotator: Annotator, url: Url, token: Token, assignment: Assignment = 0) -> None:
    """One of them."""
    with study_named(url, token, slug) as study:
        print_rows(study.talk.read(annotator, assignment), "created_at", "author", "text")


@app.command("answer")
def answer(slug: Slug, annotator: Annotator, text: str, url: Url, token: Token, assignment: Assignment = 0) -> None:
    """Answer an annotator, or begin to talk with them."""
    with study_named(url, token, slug) as study:
        made = study.talk.answer(text, annotator=annotator, assignment=assignment)
        say("Sent.", made)


@app.command("settle")
def settle(slug: Slug, annotator: Annotator, url: Url, token: Token, assignment: Assignment = 0) -> None:
    """Say that nothing waits for an answer there."""
    with study_named(url, token, slug) as study:
        study.talk.settle(annotator, assignment)
        say("Settled.", {"annotator": annotator, "assignment": assignment})


@app.command("announcements")
def announcements(slug: Slug, url: Url, token: Token) -> None:
    """What annotators were told."""
    with study_named(url, token, slug) as study:
        print_rows(study.talk.announcements(), "id", "audience", "text", "created_at", "ended_at")


@app.command("announce")
def announce(
    slug: Slug,
    text: str,
    url: Url,
    token: Token,
    audience: Annotated[str, typer.Option(help="all, active or inactive.")] = "all",
    mail: Annotated[bool, typer.Option(help="Also by e-mail.")] = False,
) -> None:
    """Tell annotators something; its number is printed."""
    with study_named(url, token, slug) as study:
        made = study.talk.announce(text, audience=audience, by_mail=mail)
        say(made.id, made)


@app.command("end")
def end(slug: Slug, announcement: int, url: Url, token: Token) -> None:
    """Show an announcement no longer."""
    with study_named(url, token, slug) as study:
        made = study.talk.end_announcement(announcement)
        say(f"Announcement {made.id} has ended.", made)
