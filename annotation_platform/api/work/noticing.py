"""What a front end notices while somebody writes: an explanation that says little, and a paste."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.annotations import hints, selectors
from annotation_platform.annotations.services import dismiss_hint
from annotation_platform.api.frame.serializers import Input, Output
from annotation_platform.api.frame.views import ApiView, sent
from annotation_platform.api.work.selectors import language
from annotation_platform.api.work.serializers import LONGEST_KEY, TypedField
from annotation_platform.crowd.monitor.pastes import LONGEST_SLOT, MOST_CHARACTERS, note_paste


class HintAsked(Input):
    slot = serializers.CharField(max_length=LONGEST_KEY, help_text="The field of the explanation.")
    values = TypedField(required=False, default=dict)
    dismiss = serializers.BooleanField(
        required=False, default=False, help_text="The person finds it fine: no hint is given there again."
    )


class HintRead(Output):
    hint = serializers.CharField(allow_null=True, help_text="What to ask the person; null: it says enough.")


class PasteSent(Input):
    slot = serializers.CharField(max_length=LONGEST_SLOT, help_text="The field of text.")
    characters = serializers.IntegerField(min_value=1, max_value=MOST_CHARACTERS)
    scheme_signature = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=64,
        help_text="Of the scheme that the field is of; after a migration of it the paste is not counted.",
    )


class Hint(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=HintAsked, responses=HintRead, operation_id="explanation_hint")
    def post(self, request: Request, pk: int, position: int) -> Response:
        """A gentle word where an explanation says little; it never blocks, and researchers see that it was given."""
        held = selectors.held_assignment(request.user, pk)
        item, asked = selectors.item_at(held.assignment, position), sent(HintAsked, request)
        study, annotator = held.assignment.hit.batch.study, held.annotator
        scheme = study.scheme(language())
        material = selectors.material_of(item, scheme, annotator)
        slot = hints.slot_named(scheme, material, asked["slot"])
        words = ""
        if slot is not None and study.gives_hints and asked["dismiss"]:
            dismiss_hint(annotator=annotator, item=item, slot=slot)
        elif slot is not None and study.gives_hints:
            typed = asked["values"]
            words = hints.give(annotator=annotator, item=item, scheme=scheme, material=material, slot=slot, typed=typed)
        return Response({"hint": words or None})


class Pasted(ApiView):
    scopes = {"POST": Scope.ANNOTATE}

    @extend_schema(request=PasteSent, responses={204: None}, operation_id="paste_note")
    def post(self, request: Request, pk: int, position: int) -> Response:
        """Count a paste into an explanation: its length, and nothing of the text."""
        held = selectors.held_assignment(request.user, pk)
        note_paste(held, position=position, **sent(PasteSent, request))
        return Response(status=204)
