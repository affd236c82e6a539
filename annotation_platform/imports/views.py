"""Importing from a file: upload, look at the first rows, map columns, check, import."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.permissions import study_creator
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.errors import DomainError, InvalidInputError, NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.loading import preset_titles
from annotation_platform.core.text import typed_number
from annotation_platform.corpus.importers import FORMATS, Options, Preview
from annotation_platform.corpus.importers.format import NO_SCHEME
from annotation_platform.corpus.importers.mistakes import told_by
from annotation_platform.imports.drafts import (
    CHOICES,
    SIZES,
    arrived,
    choose,
    discard_job,
    receive_files,
)
from annotation_platform.imports.findings import found_lines
from annotation_platform.imports.jobs import execute_job, request_job
from annotation_platform.imports.models import ImportJob
from annotation_platform.imports.previews import is_quick, looks_later, preview_of, sheets_of
from annotation_platform.jobs.worker_status import worker_state
from workers.tasks import enqueue

SHOWN_JOBS = 20
LANGUAGES = {
    "en": _("English"),
    "ja": _("Japanese"),
    "de": _("German"),
    "fr": _("French"),
    "es": _("Spanish"),
    "zh": _("Chinese"),
}
TARGETS = {ImportJob.Target.STUDY.value: _("A study"), ImportJob.Target.CORPUS.value: _("A corpus only")}
COLUMN = "column:"  # before a column's name in the form
COLUMN_IN_LINES = "column-as-json:"  # before one that goes over lines, as JSON: browsers write other line ends in names
VALUE = "value:"  # before a column and what the file says there, as JSON


@login_required
@require_http_methods(["GET", "POST"])
def import_files(request: PageRequest, target: str) -> HttpResponse:
    """Take uploaded files, and list what was uploaded before."""
    user = study_creator(request)
    error = ""
    if request.method == "POST":
        target = request.POST.get("target", target)
        try:
            job = receive_files(
                owner=user, uploads=request.FILES.getlist("files"), target=target, actor=Actor.of_request(request)
            )
        except InvalidInputError as refused:
            error = in_language(refused)
        else:
            _look(request, job)
            return redirect("import_job", pk=job.pk)
    jobs = arrived(user).select_related("study", "corpus").defer("first_rows")
    context = {
        "target": target,
        "targets": TARGETS.items(),
        "formats": FORMATS.values(),
        "jobs": [(job, _mistakes(job)) for job in jobs[:SHOWN_JOBS]],
        "error": error,
    }
    return render(request, "imports/imports.html", context, status=422 if error else 200)


@login_required
@require_http_methods(["GET", "POST"])
def import_job(request: PageRequest, pk: int) -> HttpResponse:
    """One upload: its first rows and what they are taken for, what a check found, and how far it is."""
    user = study_creator(request)
    job = arrived(user).select_related("study", "corpus").filter(pk=pk).first()
    if job is None:
        raise NotThereError("imports.no_import")
    error = ""
    if request.method == "POST":
        if request.POST.get("do") == "discard":
            discard_job(job=job, actor=Actor.of_request(request))
            messages.success(request, _("The files are forgotten."))
            return redirect("import_study")
        try:
            _act(request, job)
        except DomainError as refused:
            error = in_language(refused)
        else:
            return redirect("import_job", pk=pk)
    context: dict[str, Any] = {"job": job, "worker": worker_state() if job.is_active else None, "error": error}
    context |= {"mistakes": _mistakes(job), "more": job.mistake_count - told_by(job.mistakes)}
    if job.found:
        context["found_lines"] = found_lines(job.found, with_judgments=job.target == ImportJob.Target.STUDY)
    if request.htmx and request.method == "GET":
        return render(request, "imports/import_job.html#live", context)
    if job.status == ImportJob.Status.DRAFT:
        context |= _choices(job)
    return render(request, "imports/import_job.html", context, status=422 if error else 200)


def _mistakes(job: ImportJob) -> str:
    return in_language(Reason("imports.mistakes", count=job.mistake_count))


def _act(request: PageRequest, job: ImportJob) -> None:
    """Note what was chosen, then do what was asked for."""
    sent = request.POST
    given: dict[str, Any] = {name: sent[name] for name in CHOICES if name in sent}
    if columns := _columns(sent):
        given["columns"] = columns
        given["values"] = _values(sent)
    given |= {name: typed_number(sent[name]) for name in SIZES if name in sent}
    choose(job=job, **given)
    wanted = sent.get("do", "")
    if wanted not in (ImportJob.Wanted.CHECK, ImportJob.Wanted.IMPORT):
        _look(request, job)
        return
    request_job(job=job, wanted=wanted, actor=Actor.of_request(request))
    if is_quick(job):
        execute_job(job_id=job.pk)
    else:
        enqueue(job)


def _look(request: PageRequest, job: ImportJob) -> None:
    """Let the worker read the first rows where that takes long."""
    if looks_later(job):
        request_job(job=job, wanted=ImportJob.Wanted.LOOK, actor=Actor.of_request(request))
        enqueue(job)


def _choices(job: ImportJob) -> dict[str, Any]:
    """What there is to choose from, and the first rows as they are mapped now."""
    context: dict[str, Any] = {
        "formats": FORMATS.values(),
        "targets": TARGETS.items(),
        "presets": preset_titles(interface_language()),
        "own_scheme": FORMATS[job.format].preset,
        "asks_for_scheme": FORMATS[job.format].lacks_scheme(Options()),
        "languages": LANGUAGES,
    }
    try:
        preview = preview_of(job, reader=interface_language())
    except InvalidInputError as error:
        context["sheets"] = _to_choose(sheets_of(job))
        return context | {"unreadable": [in_language(reason) for reason in error.reasons or [error.reason]]}
    if not (job.scheme or job.scheme_text.strip()):  # then the files have one, or nobody has yet
        context["asks_for_scheme"] = Reason(NO_SCHEME) in preview.wrong
    cells = [dict.fromkeys(row[place] for row in preview.rows) for place in range(len(preview.columns))]
    columns = [
        (name, _field_for(name), preview.mapping.get(name, ""), shown)
        for name, shown in zip(preview.columns, cells, strict=True)
    ]
    context["sheets"] = _to_choose(preview.sheets)
    context |= {"columns": columns, "fields": preview.fields, "wrong": preview.wrong, "warnings": preview.warnings}
    return context | {"values": _what_values_mean(job, preview)}


def _to_choose(sheets: Sequence[str]) -> Sequence[str]:
    return sheets if len(sheets) > 1 else ()


def _field_for(column: str) -> str:
    """What the form's field for a column is called."""
    return f"{COLUMN_IN_LINES}{json.dumps(column)}" if {"\r", "\n"} & {*column} else f"{COLUMN}{column}"


def _columns(sent: Mapping[str, str]) -> dict[str, str]:
    """Column → what it is to be taken for, as it was sent."""
    columns = {name.removeprefix(COLUMN): sent[name] for name in sent if name.startswith(COLUMN)}
    for name in sent:
        if name.startswith(COLUMN_IN_LINES):
            with suppress(ValueError):  # which is not from our form
                columns[str(json.loads(name.removeprefix(COLUMN_IN_LINES)))] = sent[name]
    return columns


def _values(sent: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Column → what the file says → what that stands for, as it was sent."""
    values: dict[str, dict[str, str]] = {}
    for name in sent:
        if name.startswith(VALUE) and sent[name]:
            try:
                column, written = map(str, json.loads(name.removeprefix(VALUE)))
            except ValueError:
                continue  # not from our form
            values.setdefault(column, {})[written] = sent[name]
    return values


def _what_values_mean(job: ImportJob, preview: Preview) -> list[dict[str, Any]]:
    """For each column that holds one of a few things: what the first rows say, and what that is taken for."""
    fields = {field.key: field for field in preview.fields}
    found = []
    for column, different in preview.values.items():
        meant = job.values.get(column, {})
        rows = [
            (f"{VALUE}{json.dumps([column, written])}", written, meant.get(written, ""))
            for written in dict.fromkeys([*different, *meant])
        ]
        found.append({"column": column, "choices": fields[preview.mapping[column]].values, "rows": rows})
    return found
