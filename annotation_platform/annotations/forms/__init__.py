"""From a scheme to what stands on the page, and from what was sent back to what the scheme checks."""

from annotation_platform.annotations.forms.context import form_context
from annotation_platform.annotations.forms.instructions import Example, Instructions, instructions
from annotation_platform.annotations.forms.keys import Command, commands
from annotation_platform.annotations.forms.options import Option
from annotation_platform.annotations.forms.preview import preview
from annotation_platform.annotations.forms.steps import Card, Form, Step, build_form
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.annotations.forms.values import (
    PREFIX,
    contradictions,
    seconds_from,
    typed_from_sent,
    typed_from_values,
    unknown_fields,
    uuid_from,
    version_from,
    without_place,
)

__all__ = [
    "PREFIX",
    "Card",
    "Command",
    "Example",
    "Form",
    "Instructions",
    "Option",
    "Step",
    "build_form",
    "commands",
    "contradictions",
    "form_context",
    "instructions",
    "interface_language",
    "preview",
    "seconds_from",
    "typed_from_sent",
    "typed_from_values",
    "unknown_fields",
    "uuid_from",
    "version_from",
    "without_place",
]
