"""Qualification rounds: how they stand, making one, who passes, their order, opening and ending."""

from dataclasses import asdict, fields
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.access import need_scope, user_of
from annotation_platform.api.frame.schema import IF_MATCH
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, choice, names_of
from annotation_platform.api.frame.versions import check_version, tag_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.schemes.reading import definition_of
from annotation_platform.api.schemes.serializers import SchemeSent
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.corpus.models import Corpus
from annotation_platform.crowd.rounds import services
from annotation_platform.crowd.rounds.models import Round, Rule
from annotation_platform.crowd.rounds.results import Overview, overview_of
from annotation_platform.crowd.rounds.selectors import round_in, rounds_of_study
from annotation_platform.crowd.rounds.services import RoundSettings
from annotation_platform.crowd.rounds.services.setting_up import LONGEST_TITLE, MOST_ATTEMPTS, MOST_BEST, MOST_DAYS
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import corpora_of

STATES = ("draft", "open", "ended", "archived")
SETTINGS = tuple(field.name for field in fields(RoundSettings))


class RoundRead(Output):
    id = serializers.IntegerField()
    title = serializers.CharField()
    study = serializers.CharField(help_text="Slug of the study that is judged in it.")
    state = choice(STATES)
    rule = choice(Rule.values, help_text="Who passes.")
    least_percent = serializers.IntegerField(help_text="Of the accepted answers, to pass.")
    best_count = serializers.IntegerField(allow_null=True, help_text="How many pass, of the best.")
    least_overlap = serializers.IntegerField(help_text="Percent by which cited sentences overlap, to match.")
    is_reviewed = serializers.BooleanField(help_text="A person confirms what the rule says.")
    attempts_allowed = serializers.IntegerField()
    valid_days = serializers.IntegerField(allow_null=True, help_text="null: for good.")
    shows_answers = serializers.BooleanField(help_text="Whether people see the accepted answers afterwards.")
    items = serializers.IntegerField()
    keyed = serializers.IntegerField(help_text="Items with accepted answers.")
    people = serializers.IntegerField(help_text="Who tried.")
    under_way = serializers.IntegerField(help_text="Attempts.")
    waiting = serializers.IntegerField(help_text="Attempts that a person decides.")
    passed = serializers.IntegerField(help_text="People.")
    failed = serializers.IntegerField(help_text="Attempts.")


class RoundChange(Input):
    """What is left out stays as it is."""

    title = serializers.CharField(required=False, max_length=LONGEST_TITLE, help_text="Annotators read it.")
    rule = choice(Rule.values, required=False, help_text="Who passes.")
    least_percent = serializers.IntegerField(required=False, min_value=0, max_value=100)
    best_count = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_BEST)
    least_overlap = serializers.IntegerField(required=False, min_value=1, max_value=100)
    is_reviewed = serializers.BooleanField(required=False)
    attempts_allowed = serializers.IntegerField(required=False, min_value=1, max_value=MOST_ATTEMPTS)
    valid_days = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_DAYS)
    shows_answers = serializers.BooleanField(required=False)


class NewRound(RoundChange):
    title = serializers.CharField(max_length=LONGEST_TITLE, help_text="Annotators read it.")
    corpus = serializers.IntegerField(
        required=False, min_value=1, max_value=LARGEST_KEY, help_text="All of its questions are asked."
    )
    scheme = SchemeSent(required=False, help_text="How the corpus is judged; otherwise as in this study.")
    existing = serializers.CharField(
        required=False,
        max_length=80,
        help_text="Slug of a study of yours that becomes the round, in place of a corpus.",
    )


class Rounds(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(
        responses=inline_serializer("RoundList", {"results": RoundRead(many=True)}), operation_id="rounds_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        """The rounds that qualify for a study, in the order in which they are passed."""
        study, _ = as_researcher(request, slug)
        return Response({"results": [_told(overview_of(each)) for each in rounds_of_study(study.pk)]})

    @extend_schema(request=NewRound, responses={201: RoundRead}, operation_id="rounds_create")
    def post(self, request: Request, slug: str) -> Response:
        """A new round, after those that there are; as a draft, so that its accepted answers can be written.

        “existing” takes the scope admin, and an admin of the study that becomes the round.
        """
        study, _ = as_researcher(request, slug)
        new = sent(NewRound, request)
        settings = RoundSettings(**{name: new[name] for name in SETTINGS if name in new})
        if ("corpus" in new) == ("existing" in new):
            raise InvalidInputError("api.round_of_one_thing")
        if "existing" in new:
            existing = _own_study(request, study, new["existing"])
            made = services.adopt_study(study=study, existing=existing, settings=settings, actor=actor_of(request))
        else:
            definition = definition_of(new["scheme"]) if "scheme" in new else study.scheme_version.definition
            corpus = _own_corpus(request, new["corpus"])
            made = services.make_round(
                study=study, corpus=corpus, definition=definition, settings=settings, actor=actor_of(request)
            )
        return told_round(round_in(study, made.pk), status=201)


class OneRound(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=RoundRead, operation_id="round_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A round and how it stands; the ETag is that of its settings."""
        return told_round(round_in(as_researcher(request, slug)[0], pk))

    @extend_schema(request=RoundChange, responses=RoundRead, parameters=[IF_MATCH], operation_id="round_change")
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change who passes from now on, if it is still as it was read; verdicts that were given stay."""
        study, _ = as_researcher(request, slug)
        round_, change = round_in(study, pk), sent(RoundChange, request)
        with transaction.atomic():
            Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
            round_ = round_in(study, pk)
            before = _settings(round_)
            check_version(request, asdict(before))
            settings = RoundSettings(**asdict(before) | change)
            services.change_round(round_=round_, settings=settings, actor=actor_of(request))
        return told_round(round_in(study, pk))


class OpenRound(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RoundRead, operation_id="round_open")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let people try, for the first time or again."""
        study, _ = as_researcher(request, slug)
        services.open_round(round_=round_in(study, pk), actor=actor_of(request))
        return told_round(round_in(study, pk))


class EndRound(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RoundRead, operation_id="round_end")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Let nobody try any more; where the best pass, it is decided who they are."""
        study, _ = as_researcher(request, slug)
        services.end_round(round_=round_in(study, pk), actor=actor_of(request))
        return told_round(round_in(study, pk))


class MoveRoundUp(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=RoundRead, operation_id="round_up")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have it passed before the one that it follows; the first one stays where it is."""
        study, _ = as_researcher(request, slug)
        services.move_up(round_=round_in(study, pk), actor=actor_of(request))
        return told_round(round_in(study, pk))


def told_round(round_: Round, *, status: int = 200) -> Response:
    return Response(_told(overview_of(round_)), status=status, headers={"ETag": tag_of(asdict(_settings(round_)))})


def _told(found: Overview) -> dict[str, Any]:
    row = found.round
    own = {"id": row.pk, "study": row.study.slug, "state": found.state}
    settings = asdict(_settings(row))
    return {
        name: own[name] if name in own else settings[name] if name in settings else getattr(found, name)
        for name in names_of(RoundRead)
    }


def _settings(round_: Round) -> RoundSettings:
    return RoundSettings(**{name: getattr(round_, name) for name in SETTINGS})


def _own_corpus(request: Request, pk: int) -> Corpus:
    if (corpus := corpora_of(user_of(request)).filter(pk=pk).first()) is None:
        raise NotThereError("api.no_corpus")
    return corpus


def _own_study(request: Request, study: Study, slug: str) -> Study:
    """The study that is to become a round: what only its admins do with it."""
    need_scope(request, Scope.ADMIN)
    mine = Study.objects.administered_by(user_of(request)).filter(qualifies_for=None).exclude(pk=study.pk)
    if (found := mine.filter(slug=slug).first()) is None:
        raise NotThereError("api.no_study_to_adopt")
    return found
