"""The people of a study."""

from typing import Annotated

import typer

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


@one.command("resume")
def resume(slug: Slug, member: Who, url: Url, token: Token) -> None:
    """Let an annotator go on."""
    with study_named(url, token, slug) as study:
        study.resume_member(member)
        _said("may go on", member)


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
        study.exclude_member(member, because=because, keep_work=keep_work)
        _said("is excluded", member)


@one.command("readmit")
def readmit(slug: Slug, member: Who, url: Url, token: Token) -> None:
    """Let an excluded annotator in again, with their work where its place is free."""
    with study_named(url, token, slug) as study:
        study.readmit_member(member)
        _said("is in again", member)


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


@one.command("remove")
def remove(slug: Slug, member: Who, url: Url, token: Token) -> None:
    """Take somebody out of a study; what they judged stays."""
    with study_named(url, token, slug) as study:
        study.remove_member(member)
        _said("is no longer in the study", member)


@one.command("restore")
def restore(slug: Slug, member: Who, url: Url, token: Token) -> None:
    """Bring somebody back who was taken out."""
    with study_named(url, token, slug) as study:
        study.restore_member(member)
        _said("is back", member)


def _said(what: str, member: int) -> None:
    say(f"Member {member} {what}.", {"member": member})
