"""``manage.py report_study NAME [--json]``: all agreement figures of a study, to read or to process."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.paper.choices import choices_of
from annotation_platform.analysis.paper.report import report
from annotation_platform.analysis.sections.agreement.tables import in_words
from annotation_platform.analysis.sections.human_llm.epsilon import read_epsilon
from annotation_platform.analysis.sections.planning.own import own_design, own_plans
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.sections import ASPECT_SECTIONS, LATE_SECTIONS, STUDY_SECTIONS
from annotation_platform.analysis.snapshots.stored import FIGURES, sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.analysis.tables.base import SETTINGS
from annotation_platform.analysis.tables.words import DASH
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.text import counted
from annotation_platform.studies.management.naming import study_named
from annotation_platform.studies.models import Study

# Pairs come once for each setting; mixtures on request.
SKIPPED = {"pairs", "mixtures"}
WHOLE = "The study as a whole"
# Not stored: what the study's own design finds and costs, by what it pays today.
PLAN = "plan"


class Command(BaseCommand):
    help = "Print a study's agreement, raw and rescaled; what was computed before from the same data is read."
    requires_system_checks: list[str] = []  # they load every page of the site

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="name of the study")
        parser.add_argument("--json", action="store_true", help="print every figure as JSON")
        parser.add_argument("--aspect", metavar="KEY", help="with --json: only this aspect")
        parser.add_argument(
            "--section",
            action="append",
            metavar="NAME",
            help="with --json: only this section of the figures; may be given several times",
        )
        parser.add_argument(
            "--explanations",
            action="store_true",
            help="also words and themes of the explanations where the worker has not read them yet",
        )
        parser.add_argument("--mixtures", action="store_true", help="also mean τ for λ = 0, 0.1, … 1 (JSON: always)")
        parser.add_argument(
            "--epsilon",
            metavar="SHARE",
            help="also the alternative annotator test for people who may be so much better than the model, from 0 to "
            "below 1; otherwise 0.2, 0.15 and 0.1",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["name"])
        if not options["json"] and (options["aspect"] or options["section"]):
            raise CommandError("--aspect and --section choose figures of --json. Add --json, or leave them out.")
        epsilon = _epsilon(options["epsilon"])
        self.stderr.write(f"Reading the judgments of “{study.name}”; computing what is not there yet …")
        snapshot = take_snapshot(study=study)
        if options["explanations"] or LATE_SECTIONS.keys() & (options["section"] or ()):
            add_late_sections(snapshot)
        if options["json"]:
            told = report(snapshot, epsilon) | {"annotators_are": study.annotators_are, PLAN: own_plans(snapshot)}
            found = chosen(told, options["aspect"], options["section"])
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False))
            return
        for line in lines(study, snapshot, mixtures=options["mixtures"], epsilon=epsilon):
            self.stdout.write(line)


def _epsilon(typed: str | None) -> float | None:
    try:
        return read_epsilon(typed)
    except InvalidInputError as error:
        raise CommandError(f"--epsilon: {error}") from None


def chosen(found: dict[str, Any], aspect: str | None, sections: list[str] | None) -> dict[str, Any]:
    """What was asked for of the report, with where it comes from.

    Raises
    ------
    CommandError
        For an aspect or a section that there is not.
    """
    if aspect is not None:
        keys = [each["aspect"] for each in found["aspects"]]
        if aspect not in keys:
            raise CommandError(f"There is no aspect “{aspect}” with figures. There are: {', '.join(keys) or 'none'}.")
        found = found | {"aspects": [each for each in found["aspects"] if each["aspect"] == aspect]}
    if sections is None:
        return found
    of_aspects, of_study = set(ASPECT_SECTIONS), {*STUDY_SECTIONS, *LATE_SECTIONS, PLAN}
    if unknown := [name for name in sections if name not in of_aspects | of_study]:
        known = ", ".join([*ASPECT_SECTIONS, *STUDY_SECTIONS, *LATE_SECTIONS, PLAN])
        raise CommandError(f"There is no section “{unknown[0]}”. There are: {known}.")
    left_out = (of_aspects | of_study) - set(sections)
    aspects = [{key: value for key, value in each.items() if key not in left_out} for each in found["aspects"]]
    return {key: value for key, value in found.items() if key not in of_study & left_out} | {"aspects": aspects}


def lines(study: Study, snapshot: AgreementSnapshot, *, mixtures: bool, epsilon: float | None = None) -> list[str]:
    """The report as text, 100 columns where names allow it."""
    head = snapshot.head
    counts, how = head.counts, head.intervals
    found = [study.name, "=" * len(study.name), ""]
    if not head.aspects:
        return [*found, "This scheme has no rated aspect that agreement could be measured on."]
    found += [
        f"{counted(counts.judgments, 'judgment')} of {counted(counts.items, 'item')} by"
        f" {counted(counts.annotators, 'annotator')}"
        f" (scheme {head.scheme}; closed batches: {', '.join(map(str, head.batches)) or 'none'})",
        "Items by their number of judgments: "
        + ", ".join(f"{size}: {n:,}" for size, n in counts.items_by_number_of_judgments.items()),
    ]
    if counts.judgments_not_scored_yet:
        found.append(f"Left out, because not scored yet: {counted(counts.judgments_not_scored_yet, 'judgment')}")
    parameters = own_design(study) | ({} if epsilon is None else {"epsilon": f"{epsilon:g}"})
    of_aspects = [_asked(snapshot, aspect, parameters) for aspect in head.aspects]
    for asked in of_aspects:
        aspect = asked.head
        found += ["", aspect.title, "-" * len(aspect.title), *in_words(asked)]
        if aspect.rescaled_undefined_because:
            found.append(f"No rescaled figures: {aspect.rescaled_undefined_because}")
        found += chain.from_iterable(_block(table) for table in _tables(asked, of_study=False))
        if mixtures:
            found += chain.from_iterable(_block(table) for table in _mixtures(asked))
    if of_study := [_block(table) for table in _tables(of_aspects[0], of_study=True)]:
        found += ["", WHOLE, "-" * len(WHOLE), *chain.from_iterable(of_study)]
    found += [
        "",
        f"[low, high]: {how.in_full}",
        f"Signature {snapshot.signature}, code version {snapshot.code_version}.",
    ]
    return found


def _tables(asked: tables.TableRequest, *, of_study: bool) -> list[tables.FigureTable]:
    """Every table of an aspect, or of the study as a whole, pairs in each setting; what is read row by row (a pair) is
    left to the pages."""
    every = {name: table for name, table in tables.TABLES.items() if table.of_study == of_study}
    names = [name for name, table in every.items() if table.needs and not table.of_one and name not in SKIPPED]
    found = list(tables.tables_of(asked, names).values())
    if "pairs" in every:
        for setting in SETTINGS if not asked.head.is_nominal else ["all"]:
            found += tables.tables_of(replace(asked, parameters={"setting": setting}), ["pairs"]).values()
    others = replace(asked, parameters={"others": "annotators"})
    for table in tables.tables_of(others, names).values():
        if table.offers_others:
            found.append(replace(table, title=f"{table.title}, for other annotators, too"))
    return found


def _asked(snapshot: AgreementSnapshot, aspect: AspectHead, parameters: Mapping[str, str]) -> tables.TableRequest:
    """All figures of an aspect, and those of the study as a whole."""
    return tables.TableRequest(snapshot, aspect, sections_of(snapshot, FIGURES, aspect=aspect.aspect), parameters)


def _block(table: tables.FigureTable) -> list[str]:
    cautions = (f"Caution: {caution}" for caution in table.all_cautions)
    said = filter(None, [table.reading, table.speaks_for])
    return ["", table.title, *_columns(table), *said, *table.without_interval, *cautions]


def _columns(table: tables.FigureTable) -> list[str]:
    """The table in aligned columns; those that are empty throughout are left out."""
    rows = [[text for text, _ in line] for line in table.all_lines]
    kept = [i for i, _ in enumerate(table.columns) if any(row[i] not in ("", DASH) for row in rows)]
    cells = [[table.columns[i].heading for i in kept], *([row[i] for i in kept] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(kept))]
    numeric = [table.columns[i].is_number for i in kept]
    return [
        "  "
        + "  ".join(
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in cells
    ]


def _mixtures(asked: tables.TableRequest) -> Iterator[tables.FigureTable]:
    """Mean τ by λ: of every run, over everything and over each part of the corpus."""
    for _, parameters in choices_of(asked.snapshot, asked.aspect, "mixtures"):
        for table in tables.tables_of(replace(asked, parameters=parameters), ["mixtures"]).values():
            yield replace(table, title=f"{table.title}: {parameters['part']}")
