"""Schemes as they are sent and given."""

from rest_framework import serializers

from annotation_platform.api.frame.serializers import Input, Output


class SchemeSent(Input):
    """A scheme: a preset by its key, a file's text, or its data."""

    preset = serializers.CharField(required=False, max_length=40)
    text = serializers.CharField(required=False, max_length=200_000, trim_whitespace=False, help_text="YAML or JSON.")
    definition = serializers.DictField(required=False, help_text="The same as data.")


class SchemeRead(Output):
    key = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()


class SchemeChecked(SchemeRead):
    summary = serializers.ListField(child=serializers.CharField(), help_text="What is in it, line by line.")
    judgment_schema = serializers.DictField(help_text="JSON Schema of its judgments.")
