"""The first rows of an import as they are given: what each column is taken for, and what else it could be."""

from typing import Any

from rest_framework import serializers

from annotation_platform.accounts.language import in_language
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.api.frame.problems import told_mistake
from annotation_platform.api.frame.serializers import Output
from annotation_platform.api.imports.serializers import ImportMistake
from annotation_platform.corpus.importers import Preview
from annotation_platform.imports.drafts import refuse_busy
from annotation_platform.imports.models import ImportJob
from annotation_platform.imports.previews import preview_of


class ImportColumn(Output):
    name = serializers.CharField()
    field = serializers.CharField(help_text="What it is taken for; empty: it is left out.")
    first = serializers.ListField(child=serializers.CharField(), help_text="What its first rows say.")
    values = serializers.DictField(
        child=serializers.CharField(),
        help_text="Where the field takes one of a few things: what the rows say, and what that was said to stand for.",
    )


class ImportValue(Output):
    value = serializers.CharField()
    title = serializers.CharField()


class ImportField(Output):
    key = serializers.CharField()
    title = serializers.CharField()
    is_needed = serializers.BooleanField(help_text="Without it nothing can be imported.")
    values = ImportValue(many=True, help_text="What can be said there, where that is one of a few things.")


class ImportPreviewRead(Output):
    columns = ImportColumn(many=True)
    known_fields = ImportField(many=True, help_text="What columns can be taken for; none: it has columns of its own.")
    wrong = ImportMistake(many=True, help_text="What is wrong with what was chosen.")
    warnings = serializers.ListField(child=serializers.CharField(), help_text="What is perhaps not meant.")
    sheets = serializers.ListField(child=serializers.CharField(), help_text="Of a workbook, one of which is read.")


def told_preview(job: ImportJob) -> dict[str, Any]:
    """A job's first rows as :class:`ImportPreviewRead` says.

    Raises
    ------
    InvalidInputError
        When the files or the scheme cannot be read.
    ImportJobActiveError, ImportedAlreadyError
        While a worker reads them, and when they are gone.
    """
    refuse_busy(job)
    preview = preview_of(job, reader=interface_language())
    fields = [
        {
            "key": field.key,
            "title": in_language(field.title),
            "is_needed": field.is_needed,
            "values": [{"value": value, "title": in_language(label)} for value, label in field.values],
        }
        for field in preview.fields
    ]
    return {
        "columns": [_column(job, preview, place) for place in range(len(preview.columns))],
        "known_fields": fields,
        "wrong": [told_mistake("", each) for each in preview.wrong],
        "warnings": [in_language(each) for each in preview.warnings],
        "sheets": list(preview.sheets),
    }


def _column(job: ImportJob, preview: Preview, place: int) -> dict[str, Any]:
    name = preview.columns[place]
    said, meant = preview.values.get(name, ()), job.values.get(name, {})
    return {
        "name": name,
        "field": preview.mapping.get(name, ""),
        "first": [row[place] for row in preview.rows],
        "values": dict.fromkeys(said, "") | meant if name in preview.values else {},
    }
