"""Snapshots, their figures and the tables of these, as they are given."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.language import in_language
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.stored import finished_batches, why_stale
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.api.frame.serializers import Output, names_of
from annotation_platform.core.reasons import Reason, from_data


class SnapshotRead(Output):
    id = serializers.IntegerField()
    signature = serializers.CharField(help_text="Of data, seed, resamples and code version: the same gives the same.")
    data_signature = serializers.CharField(help_text="Of the judgments, by revision, and the scores.")
    code_version = serializers.CharField()
    scheme = serializers.CharField()
    batches = serializers.ListField(child=serializers.IntegerField(), help_text="Numbers of its closed batches.")
    run = serializers.IntegerField(allow_null=True, help_text="Whose scores it has.")
    runs = serializers.DictField(allow_null=True, help_text="By method, the runs that its figures are about.")
    intervals = serializers.DictField(help_text="Level, resamples, seed, and what is drawn from how many.")
    counts = serializers.DictField(help_text="Judgments, items, annotators.")
    aspects = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    measured_at = serializers.DateTimeField(help_text="When measuring last came to these very data.")
    address = serializers.CharField()


SNAPSHOT_FIELDS = names_of(SnapshotRead)


def told_snapshot(request: Request, snapshot: AgreementSnapshot) -> dict[str, Any]:
    """What a snapshot measured, from what and how; it comes with its ``study``."""
    head = snapshot.head
    address = reverse("api_snapshot", args=[snapshot.study.slug, snapshot.pk])
    return {
        "id": snapshot.pk,
        "signature": snapshot.signature,
        "data_signature": snapshot.data_signature,
        "code_version": snapshot.code_version,
        "scheme": head.scheme,
        "batches": list(head.batches),
        "run": snapshot.run_id,
        "runs": snapshot.runs,
        "intervals": head.intervals.model_dump(mode="json"),
        "counts": head.counts.model_dump(mode="json"),
        "aspects": [each.aspect for each in head.aspects],
        "created_at": snapshot.created_at,
        "measured_at": snapshot.measured_at,
        "address": request.build_absolute_uri(address),
    }


class Provenance(SnapshotRead):
    stale_because = serializers.CharField(allow_null=True, help_text="Why it is out of date; null: it is not.")


def told_provenance(request: Request, snapshot: AgreementSnapshot) -> dict[str, Any]:
    study = snapshot.study
    stale = why_stale(study, snapshot, finished_batches(study))
    return told_snapshot(request, snapshot) | {"stale_because": stale or None}


class SectionRead(Output):
    section = serializers.CharField()
    title = serializers.CharField()
    version = serializers.IntegerField(help_text="Of the form of its figures.")
    per = serializers.ChoiceField(choices=["aspect", "study"], help_text="Whether it has figures for each aspect.")
    tables = serializers.ListField(child=serializers.CharField(), help_text="Names of the tables made from it.")
    address = serializers.CharField()


class SectionList(Output):
    snapshot = Provenance()
    sections = SectionRead(many=True)


class ColumnRead(Output):
    key = serializers.CharField()
    heading = serializers.CharField()
    unit = serializers.CharField(help_text="text, count, value, share, score, money (US dollars), p, time (seconds).")
    has_interval = serializers.BooleanField(
        help_text="Whether rows have <key>_low, <key>_high, <key>_units (n), and <key>_why there is none."
    )


class TableRead(Output):
    table = serializers.CharField()
    title = serializers.CharField()
    reading = serializers.CharField(help_text="What it shows, in a sentence.")
    cautions = serializers.ListField(child=serializers.CharField())
    speaks_for = serializers.CharField(help_text="Whom its intervals speak for.")
    unit = serializers.CharField(allow_null=True, help_text="What its intervals draw.")
    charts = serializers.DictField(child=serializers.CharField(), help_text="Name of a chart: its caption.")
    columns = ColumnRead(many=True)
    rows = serializers.ListField(child=serializers.DictField())


class SnapshotChanges(Output):
    then = SnapshotRead(help_text="The one that was measured earlier.")
    now = SnapshotRead()
    differs = serializers.ListField(
        child=serializers.CharField(), help_text="What they rest on, where it is not the same: a sentence each."
    )
    headline = TableRead(help_text="α and τ of each aspect, then and now, with their intervals.")
    aspect = serializers.CharField(allow_null=True, help_text="Whose figures “figures” has.")
    figures = TableRead(
        allow_null=True, help_text="Each figure of the aspect and of the study that differs: then, now, change, remark."
    )


class FiguresOfAspect(Output):
    aspect = serializers.CharField(allow_null=True, help_text="null: of the study as a whole.")
    title = serializers.CharField(allow_null=True)
    level = serializers.CharField(allow_null=True, help_text="nominal, ordinal, …")
    figures = serializers.JSONField(help_text="As its JSON Schema says: value, interval, units (n), and why not.")
    tables_about = serializers.CharField(
        allow_null=True,
        help_text="The aspect that the tables are about: of figures of the study as a whole the one asked for, or else "
        "the first.",
    )
    tables = TableRead(many=True)


class FiguresRead(Output):
    section = serializers.CharField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    snapshot = Provenance()
    results = FiguresOfAspect(many=True)


def told_figures(
    head: AspectHead | None, about: AspectHead | None, stored: Any, tables: Mapping[str, FigureTable]
) -> Mapping[str, Any]:
    """``about``: the aspect that the tables are about, also where the figures are of the study as a whole."""
    return {
        "aspect": head.aspect if head else None,
        "title": head.title if head else None,
        "level": head.level if head else None,
        "figures": as_json(from_data(stored)),
        "tables_about": about.aspect if about else None,
        "tables": [told_table(table) for table in tables.values()],
    }


def told_table(table: FigureTable) -> Mapping[str, Any]:
    return {
        "table": table.name,
        "title": in_language(table.title),
        "reading": in_language(table.reading),
        "cautions": [in_language(each) for each in table.all_cautions],
        "speaks_for": in_language(table.speaks_for),
        "unit": table.unit,
        "charts": {name: in_language(caption) for name, caption in table.charts.items()},
        "columns": [
            {
                "key": each.key,
                "heading": in_language(each.heading),
                "unit": each.kind,
                "has_interval": each.has_interval,
            }
            for each in table.columns
        ],
        "rows": [as_json(row) for row in table.cells],
    }


def as_json(value: Any) -> Any:
    """As JSON has it; reasons as their code, parameters and sentence; what is no number as nothing."""
    if isinstance(value, Reason):
        return {"code": value.code, "parameters": as_json(dict(value.parameters)), "detail": in_language(value)}
    if isinstance(value, Mapping):
        return {str(key): as_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    return None if isinstance(value, float) and value - value != 0 else value
