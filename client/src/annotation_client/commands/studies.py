"""Studies, what they are made of, and their batches."""

from pathlib import Path
from typing import Annotated

import typer

from annotation_client._sync.study import Study
from annotation_client.commands.shell import Slug, Token, Topic, Url, connected, print_rows, say, study_named

app = Topic()


@app.command()
def studies(url: Url, token: Token) -> None:
    """The studies in which you are researcher or admin."""
    with connected(url, token) as platform:
        print_rows((each.record for each in platform.studies.all()), "slug", "name", "scheme", "overlap")


@app.command()
def create(
    name: str,
    url: Url,
    token: Token,
    scheme: Annotated[str, typer.Option(help="A YAML or JSON file, or a preset.")],
    items: Annotated[Path, typer.Option(help="Rows: CSV, JSON or JSONL, one for each answer.")],
    overlap: Annotated[int | None, typer.Option(help="Judgments per item.")] = None,
    language: Annotated[str, typer.Option(help="Of the texts.")] = "en",
    rows_as: Annotated[str, typer.Option(help="The preset that says what a row may hold.")] = "",
) -> None:
    """Make a study of rows, with its batches as drafts; its slug is printed, and what was left out on stderr."""
    with connected(url, token) as platform:
        made = platform.studies.create(
            name, scheme=scheme, items=items, overlap=overlap, language=language, rows_as=rows_as
        )
        say(made.slug, made.record)


@app.command("import")
def import_files(
    files: Annotated[list[Path], typer.Argument(help="Of one kind; a labelling tool's with its configuration.")],
    url: Url,
    token: Token,
    format: Annotated[
        str | None, typer.Option(help="Otherwise it is recognised; “annotate formats” lists them.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the new study or corpus.")] = None,
    scheme: Annotated[str | None, typer.Option(help="A YAML or JSON file, or a preset.")] = None,
    column: Annotated[list[str] | None, typer.Option(help="column=field; column= leaves it out.")] = None,
    language: Annotated[str | None, typer.Option(help="Of the texts.")] = None,
    overlap: Annotated[int | None, typer.Option(help="Judgments per item.")] = None,
    corpus: Annotated[bool, typer.Option(help="Take questions and answers alone.")] = False,
    check: Annotated[bool, typer.Option(help="Store nothing; say what would be.")] = False,
) -> None:
    """Import other tools' files; the study's slug, or the corpus's number, is printed, and on stderr what was left out.

    A large file that breaks off goes on where it was when the command is run again within a day.
    """
    with connected(url, token) as platform:
        target = "corpus" if corpus else "study"
        sent = platform.imports.send(
            files, format=format, name=name, target=target, scheme=scheme, language=language, overlap=overlap
        )
        if column:
            sent.change(columns={left: right for left, _, right in (each.rpartition("=") for each in column)})
        if check:
            try:
                found = sent.check()
                say("\n".join(found["summary"]), found)
            finally:
                sent.give_up()
        else:
            try:
                made = sent.store()
            except KeyboardInterrupt:
                goes_on = (
                    f"Import {sent.record.id} goes on there. Look what came of it before you import the same again."
                )
                typer.echo(goes_on, err=True)
                raise
            say(made.slug if isinstance(made, Study) else made.id, made.record if isinstance(made, Study) else made)


@app.command()
def formats(url: Url, token: Token) -> None:
    """The formats of files that can be imported."""
    with connected(url, token) as platform:
        print_rows(({"key": key, "title": title} for key, title in platform.imports.formats().items()), "key", "title")


@app.command()
def uploads(
    url: Url, token: Token, forget: Annotated[int | None, typer.Option(help="Forget what came of this one.")] = None
) -> None:
    """Large files that were sent in parts and that no import has taken."""
    with connected(url, token) as platform:
        if forget is not None:
            platform.imports.forget_upload(forget)
        print_rows(platform.imports.uploads(), "id", "name", "offset", "size", "expires_at")


@app.command()
def cut(slug: Slug, items: int, url: Url, token: Token) -> None:
    """Cut what is not released into batches of at most so many items; they stay drafts."""
    with study_named(url, token, slug) as study:
        print_rows(study.cut(items), "number", "items", "tasks")


@app.command()
def release(
    slug: Slug,
    url: Url,
    token: Token,
    batch_size: Annotated[int | None, typer.Option(help="Cut them into batches of so many items before.")] = None,
    batches: Annotated[int | None, typer.Option(help="Open so many of them; without it, all.")] = None,
) -> None:
    """Open batches that are drafts, in order."""
    with study_named(url, token, slug) as study:
        print_rows(study.release(batch_size, batches=batches), "number", "items", "places")


@app.command()
def batches(slug: Slug, url: Url, token: Token) -> None:
    """The batches of a study, and how far they are."""
    with study_named(url, token, slug) as study:
        print_rows(study.batches(), "number", "state", "items", "submitted", "places")


@app.command()
def close(
    slug: Slug, url: Url, token: Token, number: Annotated[int | None, typer.Option(help="Only this one.")] = None
) -> None:
    """Close open batches."""
    with study_named(url, token, slug) as study:
        study.close(number)
        print_rows(study.batches(), "number", "state", "items", "submitted", "places")


@app.command()
def wait(
    slug: Slug, url: Url, token: Token, timeout: Annotated[float | None, typer.Option(help="Seconds.")] = None
) -> None:
    """Wait until no batch is open and the figures are measured."""
    with study_named(url, token, slug) as study:
        study.wait(timeout=timeout)
        print_rows(study.batches(), "number", "state", "items", "submitted", "places")
