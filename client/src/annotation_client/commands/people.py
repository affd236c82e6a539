"""The people of a study."""

from collections.abc import Callable
from typing import Annotated

import typer

from annotation_client._sync.study import Study
from annotation_client.commands.shell import Slug, Token, Topic, Url, print_rows, say, study_named

app = Topic()
one = Topic(help="What is done with a member of a study.", no_args_is_help=True)
Who = Annotated[int, typer.Argument(help="Their number among the members.")]


@app.command()
def members(slug: Slug, url: Url, token: Token) -> None:
    """The people of a study, by pseudonym."""
    with study_named(url, token, slug) as study:
        print_rows(study.members(), "id", "pseudonym", "role", "paused_at", "removed_at")


@app.command()
def invite(
    slug: Slug,
    url: Url,
    token: Token,
    role: str = "annotator",
    email: str = "",
    max_uses: int | None = None,
    days: int = 30,
) -> None:
    """A new way into a study; its link is printed."""
    with study_named(url, token, slug) as study:
        made = study.invite(role=role, email=email, max_uses=max_uses, days=days)
        say(made.link, made)


@app.command()
def invitations(slug: Slug, url: Url, token: Token) -> None:
    """The ways into a study, the newest first."""
    with study_named(url, token, slug) as study:
        print_rows(study.invitations(), "id", "role", "state", "uses", "max_uses", "expires_at", "link")


@one.command("pause")
def pause(
    slug: Slug, member: Who, url: Url, token: Token, because: Annotated[str, typer.Option(help="They read it.")]
) -> None:
    """Let an annotator take nothing new."""
    with study_named(url, token, slug) as study:
        study.pause_member(member, because=because)
        _said("is paused", member)


@one.command("exclude")
def exclude(
    slug: Slug,
    member: Who,
    url: Url,
    token: Token,
    because: Annotated[str, typer.Option(help="They read it.")],
    keep_work: Annotated[bool, typer.Option(help="Let what they judged count.")] = False,
) -> None:
    """Let an annotator out, with what they judged."""
    with study_named(url, token, slug) as study:
        made = study.exclude_member(member, because=because, keep_work=keep_work)
        if made.tasks_set_aside:
            typer.echo(f"Tasks set aside: {made.tasks_set_aside}.", err=True)
        counts = {"tasks_set_aside": made.tasks_set_aside, "in_closed_batches": made.in_closed_batches}
        say(f"Member {member} is excluded.", {"member": member} | counts)


@one.command("role")
def role(
    slug: Slug,
    member: Who,
    role: Annotated[str, typer.Argument(help="annotator, researcher or admin.")],
    url: Url,
    token: Token,
) -> None:
    """Give a member another role."""
    with study_named(url, token, slug) as study:
        made = study.change_role(member, role)
        say(f"Member {made.id} is {made.role}.", made)


@one.command("readmit")
def readmit(slug: Slug, member: Who, url: Url, token: Token) -> None:
    """Let an excluded annotator in again, with their work where its place is free."""
    with study_named(url, token, slug) as study:
        made = study.readmit_member(member)
        if made.tasks_left_aside:
            typer.echo(f"Tasks that stay aside: {made.tasks_left_aside}.", err=True)
        counts = {"tasks_restored": made.tasks_restored, "tasks_left_aside": made.tasks_left_aside}
        say(f"Member {member} is in again.", {"member": member} | counts)


def _command(name: str, does: str, act: Callable[[Study, int], object], said: str) -> None:
    """A command that does one thing with a member, about which nothing else is to be said."""

    def command(slug: Slug, member: Who, url: Url, token: Token) -> None:
        with study_named(url, token, slug) as study:
            act(study, member)
            _said(said, member)

    one.command(name, help=does)(command)


_command("resume", "Let an annotator go on.", Study.resume_member, "may go on")
_command(
    "remove", "Take somebody out of a study; what they judged stays.", Study.remove_member, "is no longer in the study"
)
_command("restore", "Bring somebody back who was taken out.", Study.restore_member, "is back")


def _said(what: str, member: int) -> None:
    say(f"Member {member} {what}.", {"member": member})
