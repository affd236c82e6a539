"""A scheme's form without a task behind it: what an annotator would see, alive but with nothing to send."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.annotations.forms.context import form_context
from annotation_platform.core.items import ItemTexts, texts_of_example
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.definition import ExampleDocument, WorkedExample

SAMPLE = WorkedExample(
    title="Sample",
    sentences=(
        "The town library will close for two weeks in June.",
        "Workers will replace the roof, which has leaked since a storm.",
        "Readers may return books at the post office in the meantime.",
    ),
    documents=(
        ExampleDocument(title="Notice of the library", sentences=("The library closes in June.", "The roof is new.")),
        ExampleDocument(title="Town news", sentences=("Books can be returned at the post office.",)),
    ),
    anchor=1,
    question="Why will the library close?",
    choices=("The roof is replaced", "It moves", "The staff is on holiday", "It is too dear"),
    answer="The roof is going to be replaced.",
    rationale="Sentence 2 says that workers will replace the roof.",
    reference_answers=("Its roof is being replaced.", "Because of the leaking roof."),
    candidates=(
        "The roof is going to be replaced.",
        "It will close for two weeks in June.",
        "Workers replace the roof, which has leaked since a storm.",
        "It does not say.",
    ),
    values={},
)
"""Shown where a scheme has no worked example yet."""


def preview(scheme: Scheme, typed: Mapping[str, str] | None = None, texts: ItemTexts | None = None) -> dict[str, Any]:
    """The context of ``annotations/_form_preview.html``.

    What is judged is ``texts``, else comes from the scheme's first worked example, or is made up. ``typed`` fills
    fields, so that what was tried out can outlive an edit of the scheme.
    """
    if texts is None:
        texts = texts_of_example(scheme.examples[0] if scheme.examples else SAMPLE, scheme.parts)
    return form_context(scheme, texts, typed or {})
