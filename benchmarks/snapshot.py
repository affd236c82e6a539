"""A snapshot of a million judgments, section by section. ``python -m benchmarks.snapshot``.

From PostgreSQL (BENCH_POSTGRES_URL names a server), in a process of its own that manages memory as a worker does. The
snapshot is taken from nothing and not kept, so that nothing is taken over from it by the next. Peaks of sections are
Linux's account of what was resident while each was measured, with all that stays from before; seconds are processor
time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import databases
from benchmarks.export import ROOT, database, prepare

LEAST_SHOWN = 0.1  # seconds

if TYPE_CHECKING:
    from annotation_platform.analysis.models import AgreementSnapshot


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--resamples", type=int, default=2, help="a study gets 1,000, which take long")
    parser.add_argument("--keep", metavar="NAME", help="use this database, made where it is missing, and keep it")
    parser.add_argument("--figures", type=Path, metavar="FILE", help="write all figures there, to compare two commits")
    parser.add_argument("--measure", action="store_true", help="only measure, in this process, by DATABASE_URL")
    options = parser.parse_args()
    if options.measure:
        measure(options.resamples, options.figures)
        return
    with tempfile.TemporaryDirectory() as folder, _database(options, Path(folder)) as environment:
        if environment is not None:
            command = [sys.executable, "-m", "benchmarks.snapshot", "--measure", "--resamples", str(options.resamples)]
            command += ["--figures", str(options.figures)] if options.figures else []
            print(f"{options.judgments:,} judgments, {options.resamples:,} resamples", flush=True)
            subprocess.run(command, env=environment, cwd=ROOT, check=True)
            print("  (wanted of a million with 2: at most 30 s and 600 MB)")


@contextmanager
def _database(options: argparse.Namespace, folder: Path) -> Iterator[dict[str, str] | None]:
    """The environment of a filled database, of one's own or the one that is to be kept."""
    if not options.keep:
        with database("postgresql", folder, options.judgments, fill="fill_for_pages") as environment:
            yield environment
        return
    with databases.database(options.keep, keep=True) as made:
        if made is None:
            yield None
            return
        environment = {
            **os.environ,
            "DATA_DIR": str(folder / "data"),
            "BENCH_JUDGMENTS": str(options.judgments),
            "DATABASE_URL": made.url,
        }
        if made.is_new:
            prepare(environment, folder, "fill_for_pages")
        yield environment


def measure(resamples: int, figures: Path | None) -> None:
    """Take the snapshot of the database's only study, and print what each section takes."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    import django

    django.setup()
    from django.db import transaction

    from annotation_platform.analysis.snapshots import taking
    from annotation_platform.imports.sql import update_planner_statistics
    from annotation_platform.jobs.memory import give_large_back_at_once
    from annotation_platform.studies.models import Study

    give_large_back_at_once()
    update_planner_statistics()  # as an import does at its end
    study = Study.objects.select_related("scheme_version").get()
    parts = Parts()
    parts.watch()
    began = time.process_time()
    with transaction.atomic():
        snapshot = taking.take_snapshot(study=study, resamples=resamples)
        spent = time.process_time() - began
        if figures:
            figures.write_text(json.dumps(figures_of(snapshot), indent=1, sort_keys=True, default=str))
        transaction.set_rollback(True)
    parts.report(spent)


def figures_of(snapshot: AgreementSnapshot) -> dict[str, Any]:
    """All that a snapshot says, but for when it was taken and its own key."""
    return {
        "signatures": [snapshot.signature, snapshot.data_signature],
        "head": snapshot.head.model_dump(mode="json"),
        "sections": {
            f"{section.aspect} {section.key}": [section.fingerprint, section.figures]
            for section in snapshot.sections.all()
        },
    }


class Parts:
    """Processor time and peak memory of the parts of a snapshot: reading, and every section."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, float]] = []

    def watch(self) -> None:
        from annotation_platform.analysis.snapshots import sections, taking

        taking.read_closed = self._watched("judgments and scores, read", taking.read_closed)
        for key, measure in sections.ASPECT_SECTIONS.items():
            sections.ASPECT_SECTIONS[key] = self._watched(key, measure)
        for key, section in sections.STUDY_SECTIONS.items():
            sections.STUDY_SECTIONS[key] = section._replace(
                read=self._watched(f"{key}, read", section.read), measure=self._watched(key, section.measure)
            )

    def report(self, spent: float) -> None:
        most = max(peak for *_, peak in self.rows)
        rest = spent - sum(seconds for _, seconds, _ in self.rows)
        for name, seconds, peak in [*self.rows, ("the rest", rest, 0.0), ("all", spent, most)]:
            if seconds >= LEAST_SHOWN:
                print(f"  {name:<36}{seconds:8.2f} s" + (f"{peak:8,.0f} MB" if peak else ""), flush=True)

    def _watched(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any) -> Any:
            began = time.process_time()
            _forget_peak()
            found = work(*given)
            about = getattr(getattr(given[0], "spec", None), "key", "")
            self.rows.append((f"{about} {name}".strip(), time.process_time() - began, _peak()))
            return found

        return watched


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """MB that were resident at most since the peak was forgotten."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
