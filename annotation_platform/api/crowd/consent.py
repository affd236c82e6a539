"""Consent: the versions of a study's text, a new one, and who agreed to which."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import annotator_named, as_researcher, number_in
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.consent.models import Consent
from annotation_platform.crowd.consent.selectors import VersionTally, tally
from annotation_platform.crowd.consent.services import LANGUAGES, MOST_WORDS, publish_text

FILTERS = [
    OpenApiParameter("annotator", int, description="Only what this member said."),
    OpenApiParameter("version", int, description="Only what was said to this version."),
]


class ConsentTextRead(Output):
    number = serializers.IntegerField(help_text="Of the version; the greatest one holds.")
    texts = serializers.DictField(child=serializers.CharField(), help_text="Language: text.")
    agreed = serializers.IntegerField(help_text="How many annotators agreed to it.")
    declined = serializers.IntegerField(help_text="How many said no, and nothing else since.")
    created_at = serializers.DateTimeField()


class TextsSent(Input):
    """At least one of them."""

    en = serializers.CharField(required=False, default="", allow_blank=True, max_length=MOST_WORDS)
    ja = serializers.CharField(required=False, default="", allow_blank=True, max_length=MOST_WORDS)


class NewConsentText(Input):
    texts = TextsSent(help_text="Language: text.")


class ConsentRead(Output):
    id = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    version = serializers.IntegerField(help_text="Of the text.")
    agreed = serializers.BooleanField(help_text="false: they said no; a no can become a yes.")
    language = choice(LANGUAGES, help_text="In which it was read.")
    digest = serializers.CharField(help_text="SHA-256 of what was read.")
    given_at = serializers.DateTimeField()


class ConsentTexts(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(
        responses=inline_serializer("ConsentTextList", {"results": ConsentTextRead(many=True)}),
        operation_id="consent_texts_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """The versions of what annotators agree to before their first task, the newest first."""
        study, _ = as_researcher(request, slug)
        return Response({"results": [_told_text(each) for each in tally(study)]})

    @extend_schema(request=NewConsentText, responses={201: ConsentTextRead}, operation_id="consent_texts_create")
    def post(self, request: Request, slug: str) -> Response:
        """A new version, which all annotators read before their next task; the same words give the one that holds."""
        study, _ = as_researcher(request, slug)
        made = publish_text(study=study, texts=sent(NewConsentText, request)["texts"], actor=actor_of(request))
        return Response(_told_text(next(each for each in tally(study) if each.text == made)), status=201)


class Consents(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Consent", ConsentRead), parameters=[*LISTING, *FILTERS], operation_id="consents_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """Which annotator said what to which version, oldest first."""
        study, _ = as_researcher(request, slug)
        rows = Consent.objects.filter(text__study=study).select_related("member", "text")
        if (member := annotator_named(request, study)) is not None:
            rows = rows.filter(member=member)
        if (version := number_in(request, "version")) is not None:
            rows = rows.filter(text__number=version)
        return page(request, rows, _told, fields=names_of(ConsentRead))


def _told_text(row: VersionTally) -> dict[str, Any]:
    told = {name: getattr(row.text, name) for name in ("number", "texts", "created_at")}
    return {name: told[name] if name in told else getattr(row, name) for name in names_of(ConsentTextRead)}


def _told(row: Consent) -> dict[str, Any]:
    return {
        "id": row.pk,
        "annotator": row.member_id,
        "pseudonym": row.member.pseudonym,
        "version": row.text.number,
        "agreed": row.agreed,
        "language": row.language,
        "digest": row.digest,
        "given_at": row.given_at,
    }
