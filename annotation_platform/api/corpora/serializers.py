"""Corpora as they are given, and how their rows are sent."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotation_platform.api.frame.serializers import Input, Output, names_of
from annotation_platform.api.schemes.reading import USUAL_ROWS
from annotation_platform.corpus.models import Corpus


class CorpusRead(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    language = serializers.CharField()
    created_at = serializers.DateTimeField()


class CorpusStored(CorpusRead):
    articles = serializers.IntegerField()
    questions = serializers.IntegerField()
    answers = serializers.IntegerField()
    warnings = serializers.ListField(
        child=serializers.CharField(),
        help_text="What was left out, such as columns that nothing is, and what is perhaps not meant.",
    )


class AboutRows(Input):
    """What the address says of the rows in the body."""

    name = serializers.CharField(max_length=200, help_text="Of the new corpus.")
    scheme = serializers.CharField(
        max_length=40, required=False, default=USUAL_ROWS, help_text="Preset that says what a row may hold."
    )
    language = serializers.RegexField("^[a-z]{2,3}$", required=False, default="en")


FIELDS = names_of(CorpusRead)


def told(corpus: Corpus) -> Mapping[str, Any]:
    return {field: corpus.pk if field == "id" else getattr(corpus, field) for field in FIELDS}
