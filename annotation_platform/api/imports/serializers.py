"""Imports of other tools' files as they are sent and given."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.language import in_language
from annotation_platform.api.frame.problems import told_mistake
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.jobs.serializers import address_of
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers import FORMATS, Options
from annotation_platform.imports.drafts import CHOICES, LONGEST_SHEET, MOST_CHOSEN
from annotation_platform.imports.findings import found_lines, left_out_line
from annotation_platform.imports.models import ImportJob
from annotation_platform.jobs.rows import JobStatus

FORMAT_KEYS = [(key, key) for key in FORMATS]
LONGEST_SCHEME = 200_000
MOST_FILES = 100
SCHEME = "Key of a preset; empty: what the format or the file says."
OWN_SCHEME = "A scheme of one's own as YAML or JSON, in place of a preset."


class ImportFormatRead(Output):
    key = serializers.CharField()
    title = serializers.CharField()
    scheme = serializers.CharField(allow_null=True, help_text="Preset that it is judged under, where none is named.")
    needs_scheme = serializers.BooleanField(help_text="Whether one is to be named, or stands in the file.")


class ImportChange(Input):
    """What is left out stays as it is. Another format or scheme keeps the columns whose field is there, too."""

    target = choice(ImportJob.Target.values, required=False, help_text="What becomes of the files.")
    name = serializers.CharField(required=False, max_length=200, help_text="Of the new study or corpus.")
    format = serializers.ChoiceField(choices=FORMAT_KEYS, required=False, help_text="Otherwise it is recognised.")
    scheme = serializers.CharField(required=False, allow_blank=True, max_length=40, help_text=SCHEME)
    scheme_text = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_SCHEME, trim_whitespace=False, help_text=OWN_SCHEME
    )
    language = serializers.RegexField("^[a-z]{2,3}$", required=False, help_text="Of texts, if the file does not say.")
    sheet = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_SHEET, help_text="Of a workbook; empty: the first one."
    )
    overlap = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MOST_CHOSEN, help_text="null: what the file says."
    )
    hits_per_batch = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MOST_CHOSEN, help_text="null: the usual size."
    )


class NewImport(ImportChange):
    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True, max_length=255),
        allow_empty=False,
        help_text="Several of one kind become one study; so do a labelling tool's files with its configuration.",
    )


class NewImportOfUploads(ImportChange):
    uploads = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        allow_empty=False,
        max_length=MOST_FILES,
        help_text="Ids of whole uploads of yours, in place of files; the import takes them.",
    )


class ImportMapping(ImportChange):
    columns = serializers.DictField(
        child=serializers.CharField(allow_blank=True),
        required=False,
        help_text="Column: field that it is taken for, or empty, to leave it out. What is not named is recognised.",
    )
    values = serializers.DictField(
        child=serializers.DictField(child=serializers.CharField(allow_blank=True)),
        required=False,
        help_text="Column: what the file says there: what that stands for.",
    )


class ImportFile(Output):
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")


class ImportMistake(Output):
    field = serializers.CharField(help_text="Empty: the whole.")
    line = serializers.IntegerField(required=False, help_text="Of the file.")
    detail = serializers.CharField()
    code = serializers.CharField(required=False)
    parameters = serializers.DictField(required=False)


class ImportLeftOut(Output):
    what = serializers.CharField()
    count = serializers.IntegerField()
    detail = serializers.CharField(help_text="The same as a sentence.")


class ImportFound(Output):
    """What a check found, or what was stored."""

    articles = serializers.IntegerField()
    questions = serializers.IntegerField()
    answers = serializers.IntegerField()
    judgments = serializers.IntegerField()
    annotators = serializers.IntegerField()
    batches = serializers.DictField(child=serializers.IntegerField(), help_text="State: how many.")
    left_out = ImportLeftOut(many=True, help_text="What cannot come.")
    warnings = serializers.ListField(child=serializers.CharField(), help_text="What is perhaps not meant.")
    summary = serializers.ListField(child=serializers.CharField(), help_text="The same as sentences.")


class ImportRead(Output):
    id = serializers.IntegerField()
    state = choice(JobStatus.values, help_text="draft: it waits for a person, also after a check.")
    wanted = choice([*ImportJob.Wanted.values, ""], help_text="What was asked for last; empty: nothing yet.")
    files = ImportFile(many=True)
    checksums = serializers.ListField(
        child=serializers.CharField(), help_text="SHA-256 of each file, as announced of an upload; empty: it was not."
    )
    target = choice(ImportJob.Target.values)
    name = serializers.CharField()
    format = serializers.ChoiceField(choices=FORMAT_KEYS)
    scheme = serializers.CharField(help_text=SCHEME)
    scheme_text = serializers.CharField(help_text=OWN_SCHEME)
    language = serializers.CharField()
    columns = serializers.DictField(child=serializers.CharField(), help_text="As chosen; the preview has all.")
    values = serializers.DictField(child=serializers.DictField(child=serializers.CharField()))
    sheet = serializers.CharField()
    overlap = serializers.IntegerField(allow_null=True)
    hits_per_batch = serializers.IntegerField(allow_null=True)
    found = ImportFound(allow_null=True, help_text="null: nothing was checked, or something is wrong.")
    mistakes = ImportMistake(many=True, help_text="The first ones; nothing was stored.")
    mistake_count = serializers.IntegerField()
    study = serializers.CharField(allow_null=True, help_text="Slug of what was made.")
    corpus = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()
    job = serializers.CharField(help_text="Address of its job.")


FIELDS = names_of(ImportRead)


def told(request: Request, job: ImportJob) -> Mapping[str, Any]:
    """A job as :class:`ImportRead` says; it comes with its ``study``."""
    special: dict[str, Any] = {
        "id": job.pk,
        "state": job.status,
        "files": [{"name": each["name"], "size": each["size"]} for each in job.files],
        "checksums": [each.get("sha256", "") for each in job.files],
        "found": _found(job),
        "mistakes": [told_mistake("", each) for each in job.mistakes],
        "study": job.study.slug if job.study else None,
        "corpus": job.corpus_id,
        "job": address_of(request, job),
    }
    return {name: special[name] if name in special else getattr(job, name) for name in FIELDS}


def chosen(job: ImportJob) -> Mapping[str, Any]:
    """What a change may set, which the ETag is of: a check finds something while somebody reads."""
    return {name: getattr(job, name) for name in CHOICES}


def told_format(key: str) -> dict[str, Any]:
    format = FORMATS[key]
    return {
        "key": key,
        "title": in_language(format.title),
        "scheme": format.preset or None,
        "needs_scheme": format.lacks_scheme(Options()),
    }


def _left_out(what: Reason, count: int) -> dict[str, Any]:
    return {"what": in_language(what), "count": count, "detail": in_language(left_out_line(what, count))}


def _found(job: ImportJob) -> dict[str, Any] | None:
    if not job.found:
        return None
    lines = found_lines(job.found, with_judgments=job.target == ImportJob.Target.STUDY)
    return {
        **job.found,
        "batches": job.found.get("batches", {}),
        "left_out": [_left_out(what, count) for what, count in job.found["left_out"]],
        "warnings": [in_language(each) for each in job.found["warnings"]],
        "summary": [in_language(each) for each in lines],
    }
