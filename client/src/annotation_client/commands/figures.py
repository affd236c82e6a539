"""What was judged, what it says, and scoring runs."""

import json
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation_client import tables
from annotation_client.commands.shell import (
    Slug,
    Token,
    Topic,
    Url,
    name_and_value,
    print_rows,
    say,
    settings_of,
    study_named,
    whole_file,
)

app = Topic()


@app.command()
def judgments(
    slug: Slug,
    url: Url,
    token: Token,
    to: Annotated[Path | None, typer.Option(help="CSV, JSONL or Parquet; otherwise lines of JSON are printed.")] = None,
    which: Annotated[str, typer.Option(help="closed, current or all.")] = "closed",
) -> None:
    """The judgments of a study."""
    with study_named(url, token, slug) as study:
        rows = study.judgments(which=which)
        if to is None or to.suffix == ".jsonl":
            _write_lines(rows, to)
        elif to.suffix == ".csv":
            cells = tables.in_cells(rows.to_pandas())
            with whole_file(to) as file:
                cells.to_csv(file, index=False, lineterminator="\n")
        elif to.suffix == ".parquet":
            import pyarrow.parquet

            table = rows.to_arrow()
            with whole_file(to) as file:
                pyarrow.parquet.write_table(table, file.buffer)
        else:
            raise ValueError(f"{to}: the ending says the format: .jsonl, .csv or .parquet.")


@app.command()
def agreement(slug: Slug, aspect: str, url: Url, token: Token) -> None:
    """Krippendorff's α of an aspect, with interval, n, and where it comes from."""
    with study_named(url, token, slug) as study:
        found = study.agreement(aspect)
        say(f"{found}\nsnapshot {found.snapshot.id}, signature {found.snapshot.signature}", found)
        if found.snapshot.stale_because:
            typer.echo(f"Out of date: {found.snapshot.stale_because}", err=True)


@app.command()
def figures(slug: Slug, section: str, url: Url, token: Token) -> None:
    """The figures of one kind, as JSON; “list” says which kinds there are."""
    with study_named(url, token, slug) as study:
        if section == "list":
            print_rows(({"name": name, "title": title} for name, title in study.sections().items()), "name", "title")
        else:
            typer.echo(study.figures(section).model_dump_json(indent=1))


@app.command()
def measure(slug: Slug, url: Url, token: Token) -> None:
    """Have the closed batches measured, and wait for it."""
    with study_named(url, token, slug) as study:
        made = study.measure()
        say(made.id, made)


@app.command()
def runs(slug: Slug, url: Url, token: Token) -> None:
    """The scoring runs of a study."""
    with study_named(url, token, slug) as study:
        print_rows(study.runs(), "id", "method", "scorer", "state", "done", "total", "spent")


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
    with study_named(url, token, slug) as study:
        parameters = settings_of(parameter or ())
        started = study.start_run(method, parameters=parameters, budget=budget, estimate=estimate)
        say(started.id, started)


@app.command()
def export(slug: Slug, to: Path, url: Url, token: Token) -> None:
    """Write all judgments of closed batches into a file (.csv, .jsonl, .parquet); for the study's admins."""
    with study_named(url, token, slug) as study:
        made = study.export(to)
        say(made.sha256, made)


@app.command()
def search(
    slug: Slug,
    words: Annotated[str, typer.Argument(help="In questions, answers and texts; empty: all items.")],
    url: Url,
    token: Token,
    narrow: Annotated[
        list[str] | None, typer.Option(help="name=value: said, aspect, label, theme, system, annotator, flag, sort.")
    ] = None,
    most: Annotated[int, typer.Option(min=0, help="Items to print.")] = 50,
) -> None:
    """Items found as on the explorer's page."""
    with study_named(url, token, slug) as study:
        chosen: dict[str, Any] = dict(map(name_and_value, narrow or ()))
        found = study.search(**{"q": words or None, **chosen})
        print_rows(islice(found, most), "id", "batch", "question", "systems", "mean_score")


@app.command()
def snapshots(slug: Slug, url: Url, token: Token) -> None:
    """The snapshots of the figures, the newest first."""
    with study_named(url, token, slug) as study:
        print_rows(study.snapshots(), "id", "measured_at", "signature", "stale_because")


def _write_lines(rows: Iterable[dict[str, Any]], to: Path | None) -> None:
    lines = (json.dumps(tables.flat(row), ensure_ascii=False) + "\n" for row in rows)
    if to is None:
        sys.stdout.writelines(lines)
    else:
        with whole_file(to) as file:
            file.writelines(lines)
