"""What comes before the first task: agreeing to the consent text, and saying which languages one reads."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.serializers import Input, Output, choice
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.work.entering import as_annotator
from annotation_platform.api.work.selectors import language
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.consent.models import Consent, ConsentText
from annotation_platform.crowd.consent.selectors import current_text
from annotation_platform.crowd.consent.services import LANGUAGES, ConsentChangedError, answer
from annotation_platform.crowd.endings import Ending, end_visit
from annotation_platform.crowd.languages.models import RequiredLanguages, StatedLanguages
from annotation_platform.crowd.languages.services import NAMES, state_languages
from annotation_platform.studies.models import Member


class TextToRead(Output):
    version = serializers.IntegerField(help_text="Goes with the answer.")
    language = choice(LANGUAGES, help_text="Of the text: that of Accept-Language, where it is there.")
    text = serializers.CharField()
    agreed = serializers.BooleanField(help_text="Whether one has agreed to this version.")


class ConsentSent(Input):
    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="Of the text that was read.")
    language = choice(LANGUAGES, help_text="In which it was read.")
    agreed = serializers.BooleanField(help_text="false: no; it can become a yes later.")


class WayBackRead(Output):
    address = serializers.CharField()
    code = serializers.CharField(help_text="That can also be typed there.")


class Answered(TextToRead):
    way_back = WayBackRead(allow_null=True, help_text="After a no: to where the person came from.")


class LanguagesOfOne(Output):
    asked_for = serializers.ListField(child=serializers.CharField(), help_text="Who takes tasks reads all of them.")
    stated = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="null: nothing was said yet."
    )


class StatedSent(Input):
    codes = serializers.ListField(child=choice(NAMES), max_length=len(NAMES), help_text="ISO 639.")


class OwnConsent(ApiView):
    scopes = {"GET": Scope.ANNOTATE, "POST": Scope.ANNOTATE}

    @extend_schema(responses=TextToRead, operation_id="own_consent_read")
    def get(self, request: Request, slug: str) -> Response:
        """What is to be read and agreed to before the next task; 404 where the study asks for no consent."""
        return Response(_to_read(*_asked(request, slug)))

    @extend_schema(request=ConsentSent, responses=Answered, operation_id="own_consent_give")
    def post(self, request: Request, slug: str) -> Response:
        """What the person says to the text that they have read; 409 where there is a newer one."""
        member, text = _asked(request, slug)
        said, actor = sent(ConsentSent, request), actor_of(request)
        if said["version"] != text.number:
            raise ConsentChangedError("crowd.consent_changed")
        given = answer(member=member, text=text, agreed=said["agreed"], language=said["language"], actor=actor)
        back = None if given.agreed else end_visit(member, Ending.NO_CONSENT, actor=actor)
        way_back = {"address": back.address, "code": back.code} if back else None
        return Response(_to_read(member, text) | {"way_back": way_back})


class OwnLanguages(ApiView):
    scopes = {"GET": Scope.ANNOTATE, "PUT": Scope.ANNOTATE}

    @extend_schema(responses=LanguagesOfOne, operation_id="own_languages_read")
    def get(self, request: Request, slug: str) -> Response:
        """Which languages the study asks for, and which ones one has said to read."""
        return Response(_languages(as_annotator(request, slug)))

    @extend_schema(request=StatedSent, responses=LanguagesOfOne, operation_id="own_languages_state")
    def put(self, request: Request, slug: str) -> Response:
        """Say which languages one reads: all of them, in place of what was said before."""
        member = as_annotator(request, slug)
        state_languages(member=member, codes=sent(StatedSent, request)["codes"], actor=actor_of(request))
        return Response(_languages(member))


def _asked(request: Request, slug: str) -> tuple[Member, ConsentText]:
    member = as_annotator(request, slug)
    if (text := current_text(member.study)) is None:
        raise NotThereError("crowd.no_consent_text")
    return member, text


def _to_read(member: Member, text: ConsentText) -> dict[str, Any]:
    shown = text.language(language())
    agreed = Consent.objects.filter(member=member, text=text, agreed=True).exists()
    return {"version": text.number, "language": shown, "text": text.text(shown), "agreed": agreed}


def _languages(member: Member) -> dict[str, Any]:
    asked_for = RequiredLanguages.objects.filter(study=member.study_id).values_list("codes", flat=True).first()
    stated = StatedLanguages.objects.filter(member=member).values_list("codes", flat=True).first()
    return {"asked_for": asked_for or [], "stated": stated}
