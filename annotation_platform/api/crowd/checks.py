"""Checks: the list with what came of each, adding many, what one accepts, out of use and into it again."""

from typing import Any

from django.db import transaction
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.frame.access import user_of
from annotation_platform.api.frame.bodies import BodyParser
from annotation_platform.api.frame.files import CsvParser
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import IF_MATCH, LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.versions import check_version, tag_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.text import typed_number
from annotation_platform.corpus.models import Corpus
from annotation_platform.crowd.checks import services
from annotation_platform.crowd.checks.figures import Share
from annotation_platform.crowd.checks.files import WrittenCheck, read_checks
from annotation_platform.crowd.checks.importing import import_checks
from annotation_platform.crowd.checks.models import Check
from annotation_platform.crowd.checks.overview import CheckLine, LinesOfChecks, check_lines
from annotation_platform.crowd.checks.selectors import check_in
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import corpora_of

ACCEPTED = "Aspect: a list of accepted answers, or the same as text; cited sentences as annotators type them."
MOST_AT_ONCE = 10_000
OF_CORPUS = OpenApiParameter("corpus", int, description="Whose answers they are; usually the study's own.")


class ShareRead(Output):
    passed = serializers.IntegerField()
    n = serializers.IntegerField(help_text="Judgments that count: the first one of each annotator.")
    percent = serializers.FloatField(allow_null=True, help_text="null: nobody judged it yet.")
    low = serializers.FloatField(allow_null=True, help_text="Of the 95% interval (Wilson), in percent.")
    high = serializers.FloatField(allow_null=True)


class CheckRead(Output):
    id = serializers.IntegerField()
    kind = choice(Check.Kind.values)
    corpus = serializers.IntegerField()
    article = serializers.CharField(help_text="Name in the corpus's file.")
    question = serializers.CharField(help_text="Name in the corpus's file.")
    question_text = serializers.CharField()
    systems = serializers.ListField(child=serializers.CharField(), help_text="Of its answers, in their order.")
    accepted = serializers.DictField(help_text="Aspect: accepted answers; what is not there is not compared.")
    tasks = serializers.IntegerField(help_text="That have it.")
    repeated = serializers.IntegerField(
        help_text="Judgments of people who had met the same answers; they do not count."
    )
    share = ShareRead(help_text="Who passed it.")
    good = ShareRead(help_text="Who passed it, of those who pass the others.")
    is_doubtful = serializers.BooleanField(help_text="Most of those who pass the others fail it.")
    missed = serializers.DictField(child=serializers.IntegerField(), help_text="Aspect: how many missed it.")
    created_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True, help_text="It goes into no task and counts for nobody.")


class NewCheck(Input):
    article = serializers.CharField(max_length=255)
    question = serializers.CharField(max_length=255)
    system = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=255, help_text="Empty: there is one answer alone."
    )
    accepted = serializers.DictField(help_text=ACCEPTED)
    kind = choice(Check.Kind.values, required=False, default=Check.Kind.GOLD.value)


class ChecksSent(Input):
    checks = serializers.ListField(child=NewCheck(), min_length=1, max_length=MOST_AT_ONCE, help_text="All or none.")


class Corrected(Input):
    accepted = serializers.DictField(help_text=f"All that is accepted from now on. {ACCEPTED}")


class Checks(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}
    parser_classes = [BodyParser, CsvParser]

    @extend_schema(responses=listed("Check", CheckRead), parameters=LISTING, operation_id="checks_list")
    def get(self, request: Request, slug: str) -> Any:
        """The checks of a study with who passed them, the oldest first; of doubtful ones, look at what is accepted."""
        study, _ = as_researcher(request, slug)
        lines = LinesOfChecks(study)
        return page(request, lines.checks, lambda row: told_check(lines.line(row)), fields=names_of(CheckRead))

    @extend_schema(
        request={"application/json": ChecksSent, "text/csv": OpenApiTypes.STR},
        responses={201: inline_serializer("ChecksMade", {"results": CheckRead(many=True)})},
        parameters=[OF_CORPUS],
        operation_id="checks_add",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make checks of answers whose right judgment is known; then mix them into draft batches.

        As CSV: a row for each answer and aspect, with article, question, system, aspect, accepted and kind.
        """
        study, _ = as_researcher(request, slug)
        corpus = _corpus(request, study)
        written = read_checks(request.data) if isinstance(request.data, bytes) else _written(sent(ChecksSent, request))
        made = import_checks(study=study, corpus=corpus, written=written, actor=actor_of(request))
        told = [told_check(line) for line in check_lines(study, [check.pk for check in made])]
        return Response({"results": told}, status=201)


class OneCheck(ApiView):
    scopes = {"GET": Scope.READ, "PATCH": Scope.MANAGE}

    @extend_schema(responses=CheckRead, operation_id="check_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A check; the ETag is that of what it accepts."""
        return _one(check_in(as_researcher(request, slug)[0], pk))

    @extend_schema(request=Corrected, responses=CheckRead, parameters=[IF_MATCH], operation_id="check_correct")
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Correct what it accepts, if it is still what was read; all its judgments are looked at again.

        What was done about annotators stays, until it is undone.
        """
        study, _ = as_researcher(request, slug)
        check, said = check_in(study, pk), sent(Corrected, request)
        with transaction.atomic():
            locked = Check.objects.select_for_update(no_key=True).get(pk=check.pk)
            check_version(request, locked.accepted)
            services.correct_check(check=check, accepted=said["accepted"], actor=actor_of(request))
        return _one(check)


class RetireCheck(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=CheckRead, operation_id="check_retire")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Put it into no more tasks, and let it count for nobody; what was judged is kept."""
        check = check_in(as_researcher(request, slug)[0], pk)
        services.retire_check(check=check, actor=actor_of(request))
        return _one(check)


class UseCheckAgain(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=CheckRead, operation_id="check_use_again")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take a check that is out of use into use again."""
        check = check_in(as_researcher(request, slug)[0], pk)
        services.use_again(check=check, actor=actor_of(request))
        return _one(check)


def told_share(share: Share) -> dict[str, Any]:
    low, high = share.interval or (None, None)
    return {"passed": share.passed, "n": share.n, "percent": share.percent, "low": low, "high": high}


def _corpus(request: Request, study: Study) -> Corpus:
    """
    Raises
    ------
    NotThereError
        When there is none of this key that one may make studies of.
    """
    asked = request.query_params.get("corpus", "")
    if not asked:
        return study.corpus
    if (found := corpora_of(user_of(request)).filter(pk=typed_number(asked) or 0).first()) is None:
        raise NotThereError("api.no_corpus")
    return found


def _written(said: dict[str, Any]) -> list[WrittenCheck]:
    return [
        WrittenCheck(where=Reason("crowd.file_entry", number=number), **row)
        for number, row in enumerate(said["checks"], start=1)
    ]


def _one(check: Check) -> Response:
    (line,) = check_lines(check.study, [check.pk])
    return Response(told_check(line), headers={"ETag": tag_of(line.check.accepted)})


def told_check(line: CheckLine) -> dict[str, Any]:
    """A check as :class:`CheckRead` says."""
    check, figures = line.check, line.figures
    article = check.question.article
    known = {
        "id": check.pk,
        "corpus": article.corpus_id,
        "article": article.external_id,
        "question": check.question.external_id,
        "question_text": check.question.text,
        "systems": [each.answer.system.name for each in check.answers.all()],
        "tasks": line.tasks,
        "repeated": line.repeated,
        "share": told_share(figures.share),
        "good": told_share(figures.good),
        "is_doubtful": figures.is_doubtful,
        "missed": figures.missed,
    }
    return {name: known[name] if name in known else getattr(check, name) for name in names_of(CheckRead)}
