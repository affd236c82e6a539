"""``annotate``: the same from a shell. Where and as whom: ``ANNOTATION_URL`` and ``ANNOTATION_TOKEN``."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from annotation_client import tables
from annotation_client._sync.platform import Platform
from annotation_client._sync.study import Study
from annotation_client.archives import verify_release
from annotation_client.errors import AnnotationError

app = typer.Typer(help="Studies of the annotation platform, from a shell.", no_args_is_help=True)
webhook = typer.Typer(help="Who is told what happens in a study.", no_args_is_help=True)
app.add_typer(webhook, name="webhook")

Url = Annotated[str, typer.Option(envvar="ANNOTATION_URL", help="Where the platform is.")]
Token = Annotated[str, typer.Option(envvar="ANNOTATION_TOKEN", help="From My account; better in the environment.")]
Slug = Annotated[str, typer.Argument(help="The study's name in addresses.")]


@contextmanager
def _connected(url: str, token: str) -> Iterator[Platform]:
    """The platform; what goes wrong is a sentence on standard error and status 1."""
    with _told(), Platform(url, token=token) as platform:
        yield platform


@contextmanager
def _study(url: str, token: str, slug: str) -> Iterator[Study]:
    with _connected(url, token) as platform:
        yield platform.studies.get(slug)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (AnnotationError, OSError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


@app.command()
def studies(url: Url, token: Token) -> None:
    """The studies in which you are researcher or admin."""
    with _connected(url, token) as platform:
        _list((each.record for each in platform.studies.all()), "slug", "name", "scheme", "overlap")


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
    """Make a study of rows, with its batches as drafts; its slug is printed."""
    with _connected(url, token) as platform:
        made = platform.studies.create(
            name, scheme=scheme, items=items, overlap=overlap, language=language, rows_as=rows_as
        )
        typer.echo(made.slug)


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
    """Import other tools' files; the study's slug, or the corpus's number, is printed."""
    with _connected(url, token) as platform:
        target = "corpus" if corpus else "study"
        sent = platform.imports.send(
            files, format=format, name=name, target=target, scheme=scheme, language=language, overlap=overlap
        )
        if column:
            sent.change(columns={left: right for left, _, right in (each.rpartition("=") for each in column)})
        if check:
            try:
                typer.echo("\n".join(sent.check()["summary"]))
            finally:
                sent.give_up()
        else:
            made = sent.store()
            typer.echo(made.slug if isinstance(made, Study) else made.id)


@app.command()
def formats(url: Url, token: Token) -> None:
    """The formats of files that can be imported."""
    with _connected(url, token) as platform:
        for key, title in platform.imports.formats().items():
            typer.echo(f"{key}\t{title}")


@app.command()
def check(scheme: str, url: Url, token: Token) -> None:
    """Check a scheme: a YAML or JSON file, or a preset."""
    with _connected(url, token) as platform:
        for line in platform.check_scheme(scheme)["summary"]:
            typer.echo(line)


@app.command()
def release(
    slug: Slug, url: Url, token: Token, batch_size: Annotated[int | None, typer.Option(help="Items.")] = None
) -> None:
    """Open batches that are drafts, until so many items are open; without a number, all."""
    with _study(url, token, slug) as study:
        _list(study.release(batch_size), "number", "items", "places")


@app.command()
def batches(slug: Slug, url: Url, token: Token) -> None:
    """The batches of a study, and how far they are."""
    with _study(url, token, slug) as study:
        _list(study.batches(), "number", "state", "items", "submitted", "places")


@app.command()
def close(
    slug: Slug, url: Url, token: Token, number: Annotated[int | None, typer.Option(help="Only this one.")] = None
) -> None:
    """Close open batches."""
    with _study(url, token, slug) as study:
        study.close(number)


@app.command()
def wait(
    slug: Slug, url: Url, token: Token, timeout: Annotated[float | None, typer.Option(help="Seconds.")] = None
) -> None:
    """Wait until no batch is open and the figures are measured."""
    with _study(url, token, slug) as study:
        study.wait(timeout=timeout)


@app.command()
def judgments(
    slug: Slug,
    url: Url,
    token: Token,
    to: Annotated[Path | None, typer.Option(help="CSV, JSONL or Parquet; otherwise lines of JSON are printed.")] = None,
    which: Annotated[str, typer.Option(help="closed, current or all.")] = "closed",
) -> None:
    """The judgments of a study."""
    with _study(url, token, slug) as study:
        rows = study.judgments(which=which)
        if to is None or to.suffix == ".jsonl":
            _write_lines(rows, to)
        elif to.suffix == ".csv":
            rows.to_pandas().to_csv(to, index=False)
        elif to.suffix == ".parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(rows.to_arrow(), to)
        else:
            raise ValueError(f"{to}: the ending says the format: .jsonl, .csv or .parquet.")


@app.command()
def agreement(slug: Slug, aspect: str, url: Url, token: Token) -> None:
    """Krippendorff's α of an aspect, with interval, n, and where it comes from."""
    with _study(url, token, slug) as study:
        found = study.agreement(aspect)
        typer.echo(str(found))
        typer.echo(f"snapshot {found.snapshot.id}, signature {found.snapshot.signature}")
        if found.snapshot.stale_because:
            typer.echo(f"Out of date: {found.snapshot.stale_because}", err=True)


@app.command()
def figures(slug: Slug, section: str, url: Url, token: Token) -> None:
    """The figures of one kind, as JSON; “list” says which kinds there are."""
    with _study(url, token, slug) as study:
        if section == "list":
            for name, title in study.sections().items():
                typer.echo(f"{name}\t{title}")
        else:
            typer.echo(study.figures(section).model_dump_json(indent=1))


@app.command()
def measure(slug: Slug, url: Url, token: Token) -> None:
    """Have the closed batches measured, and wait for it."""
    with _study(url, token, slug) as study:
        typer.echo(study.measure().id)


@app.command()
def runs(slug: Slug, url: Url, token: Token) -> None:
    """The scoring runs of a study."""
    with _study(url, token, slug) as study:
        _list(study.runs(), "id", "method", "scorer", "state", "done", "total", "spent")


@app.command()
def run(
    slug: Slug,
    method: str,
    url: Url,
    token: Token,
    parameter: Annotated[list[str] | None, typer.Option(help="name=value, as JSON or as text.")] = None,
    budget: Annotated[float | None, typer.Option(help="US dollars.")] = None,
    estimate: Annotated[bool, typer.Option(help="Say what it would cost, and pause.")] = False,
) -> None:
    """Start a scoring run; its number is printed."""
    with _study(url, token, slug) as study:
        parameters = dict(map(_parameter, parameter or []))
        started = study.start_run(method, parameters=parameters, budget=budget, estimate=estimate)
        typer.echo(started.id)


@app.command()
def export(slug: Slug, to: Path, url: Url, token: Token) -> None:
    """Write all judgments of closed batches into a file (.csv, .jsonl, .parquet); for the study's admins."""
    with _study(url, token, slug) as study:
        typer.echo(study.export(to).sha256)


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
    with _study(url, token, slug) as study:
        made = study.freeze(title, authors=author, licence=licence)
        typer.echo(f"Release {made.number} is {made.state}. {made.digest}".strip())
        _list(made.findings, "id", "kind", "text", "times", "verdict")


@app.command()
def settle(
    slug: Slug,
    number: int,
    url: Url,
    token: Token,
    verdict: Annotated[list[str], typer.Option(help="id=kept, id=removed")],
) -> None:
    """Settle what was found in a release."""
    with _study(url, token, slug) as study:
        said = {int(each.partition("=")[0]): each.partition("=")[2] for each in verdict}
        made = study.settle(number, said)
        typer.echo(f"Release {made.number} is {made.state}. {made.digest}".strip())


@app.command()
def releases(slug: Slug, url: Url, token: Token) -> None:
    """The releases of a study."""
    with _study(url, token, slug) as study:
        _list(study.releases(), "number", "title", "state", "digest")


@app.command()
def download(slug: Slug, number: int, url: Url, token: Token, folder: Path = Path()) -> None:
    """Download a release, and check all its files."""
    with _study(url, token, slug) as study:
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
    with _study(url, token, slug) as study:
        typer.echo(study.let_download(number, email=email, team=team, role=role).id)


@app.command()
def allowed(slug: Slug, number: int, url: Url, token: Token) -> None:
    """The people and teams who were let download a release."""
    with _study(url, token, slug) as study:
        _list(study.rights(number), "id", "email", "team", "role", "downloads", "revoked_at")


@app.command()
def disallow(slug: Slug, number: int, right: int, url: Url, token: Token) -> None:
    """Take a right to download a release away."""
    with _study(url, token, slug) as study:
        study.revoke_right(number, right)


@app.command()
def given(
    url: Url,
    token: Token,
    to: Annotated[Path | None, typer.Option(help="Download all of them into this folder.")] = None,
) -> None:
    """The releases of other studies that you may download."""
    with _connected(url, token) as platform:
        found = platform.releases()
        if to is None:
            _list(found, "study", "number", "title", "digest", "embargo_until", "withdrawn_because")
        else:
            for each in found:
                if each.file:
                    typer.echo(platform.download(each, to))


@app.command()
def verify(folder: Path) -> None:
    """Check all files of a release, without the platform."""
    with _told():
        typer.echo(f"All files are as they were frozen. SHA-256 of the release: {verify_release(folder)}")


@app.command()
def members(slug: Slug, url: Url, token: Token) -> None:
    """The people of a study, by pseudonym."""
    with _study(url, token, slug) as study:
        _list(study.members(), "id", "pseudonym", "role", "paused_at", "removed_at")


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
    with _study(url, token, slug) as study:
        typer.echo(study.invite(role=role, email=email, max_uses=max_uses, days=days).link)


@webhook.command("list")
def webhooks(slug: Slug, url: Url, token: Token) -> None:
    """The webhooks of a study."""
    with _study(url, token, slug) as study:
        _list(study.webhooks.all(), "id", "address", "kinds", "is_on", "failures")


@webhook.command("add")
def add_webhook(
    slug: Slug, address: str, url: Url, token: Token, kind: Annotated[list[str] | None, typer.Option()] = None
) -> None:
    """Add one; its secret is printed this once."""
    with _study(url, token, slug) as study:
        typer.echo(study.webhooks.add(address, kinds=kind).secret)


@webhook.command("delete")
def delete_webhook(slug: Slug, number: int, url: Url, token: Token) -> None:
    """Delete one, with its log."""
    with _study(url, token, slug) as study:
        study.webhooks.delete(number)


def _parameter(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _write_lines(rows: Iterable[dict[str, Any]], to: Path | None) -> None:
    lines = (json.dumps(tables.flat(row), ensure_ascii=False) + "\n" for row in rows)
    if to is None:
        sys.stdout.writelines(lines)
    else:
        with to.open("w", encoding="utf-8") as file:
            file.writelines(lines)


def _list(rows: Iterable[BaseModel], *fields: str) -> None:
    """A table for people, or fields with tabs between for programs."""
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(str(getattr(row, field)) for field in fields))
        return
    table = Table(*fields)
    for row in rows:
        table.add_row(*(str(getattr(row, field)) for field in fields))
    Console().print(table)
