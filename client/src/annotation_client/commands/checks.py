"""Tasks whose answers are known, mixed in among the others."""

from pathlib import Path
from typing import Annotated

import typer

from annotation_client.commands.shell import Slug, Token, Topic, Url, print_one, print_rows, settings_of, study_named

app = Topic(help="Tasks whose answers are known, mixed in among the others.", no_args_is_help=True)
SHOWN = ("id", "kind", "question", "accepted", "tasks", "retired_at")


@app.command("list")
def checks(slug: Slug, url: Url, token: Token) -> None:
    """The checks of a study."""
    with study_named(url, token, slug) as study:
        print_rows(study.checks.all(), *SHOWN)


@app.command("add")
def add(
    slug: Slug,
    file: Annotated[Path, typer.Argument(help="CSV: a row for each answer and aspect.")],
    url: Url,
    token: Token,
    corpus: Annotated[int | None, typer.Option(help="Whose answers they are; otherwise the study's own.")] = None,
) -> None:
    """Make checks of a file, all or none."""
    with study_named(url, token, slug) as study:
        print_rows(study.checks.add(file, corpus=corpus), *SHOWN)


@app.command("retire")
def retire(slug: Slug, check: int, url: Url, token: Token) -> None:
    """Take a check out of use: it goes into no more tasks and counts for nobody."""
    with study_named(url, token, slug) as study:
        print_one(study.checks.retire(check))


@app.command("use")
def use(slug: Slug, check: int, url: Url, token: Token) -> None:
    """Use one again that was out of use."""
    with study_named(url, token, slug) as study:
        print_one(study.checks.use(check))


@app.command("mix")
def mix(slug: Slug, url: Url, token: Token) -> None:
    """Mix them into the tasks of batches that are drafts; a task that has one gets no second one."""
    with study_named(url, token, slug) as study:
        print_one(study.checks.mix())


@app.command("rule")
def rule(
    slug: Slug,
    url: Url,
    token: Token,
    change: Annotated[list[str] | None, typer.Argument(help="name=value, to change it.")] = None,
) -> None:
    """How often checks come and what becomes of those who fail them; with name=value, another rule."""
    with study_named(url, token, slug) as study:
        print_one(study.checks.change_rule(**settings_of(change)) if change else study.checks.rule())


@app.command("annotators")
def annotators(slug: Slug, url: Url, token: Token) -> None:
    """How each annotator did."""
    with study_named(url, token, slug) as study:
        print_rows(study.checks.annotators(), "annotator", "pseudonym", "passed", "n", "percent")


@app.command("actions")
def actions(slug: Slug, url: Url, token: Token) -> None:
    """What the rule did, and to whom."""
    with study_named(url, token, slug) as study:
        print_rows(study.checks.actions(), "id", "pseudonym", "action", "because", "undone_at")


@app.command("undo")
def undo(slug: Slug, action: int, url: Url, token: Token) -> None:
    """Undo one of these."""
    with study_named(url, token, slug) as study:
        print_one(study.checks.undo(action))
