"""What a person reads of runs: replies that no rule could read, suspicious passages, and two runs side by side."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.methods.injection import Sign
from annotation_platform.scoring.comparison import AspectCompared, Setting, compare_scores, compare_settings
from annotation_platform.scoring.models import ItemLabel, SuspiciousPassage
from annotation_platform.scoring.reply_review import LEFT_OPEN, NO_LABEL, decide_label, unread_labels, unread_of
from annotation_platform.scoring.selectors import run_of, suspicious_passages
from annotation_platform.scoring.services import dismiss_suspicion
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue_snapshot

LONGEST_LABEL = 200


class UnreadRead(Output):
    id = serializers.IntegerField()
    run = serializers.IntegerField()
    item = serializers.IntegerField()
    candidate = serializers.IntegerField(help_text="Of the item; 0: the item as a whole.")
    aspect = serializers.CharField()
    reason = serializers.CharField(help_text="Why no rule read it, such as missing, ambiguous or refused.")


class OptionRead(Output):
    choice = serializers.CharField(help_text="What is sent back.")
    shown = serializers.CharField(help_text="As it stands in the prompt.")


class UnreadWithReply(UnreadRead):
    reply = serializers.CharField()
    options = OptionRead(many=True, help_text=f"Besides: {NO_LABEL}, it gives none; it counts as wrong.")
    may_be_open = serializers.BooleanField(help_text=f"Whether it may say that nothing was to answer: {LEFT_OPEN}.")


class LabelSent(Input):
    choice = serializers.CharField(max_length=LONGEST_LABEL, help_text="One of the options' choices, or !none, !open.")


class PassageRead(Output):
    id = serializers.IntegerField()
    item = serializers.IntegerField()
    candidate = serializers.IntegerField(help_text="Of the item; 0: the item as a whole.")
    annotation = serializers.IntegerField(allow_null=True, help_text="Whose words these are; null: an answer's.")
    sign = choice(Sign)
    passage = serializers.CharField(help_text="The words that show it.")


class SettingRead(Output):
    name = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()
    differs = serializers.BooleanField()


class AspectRead(Output):
    aspect = serializers.CharField()
    n = serializers.IntegerField(help_text="Judgments, or items and candidates, with a value in both.")
    first = serializers.FloatField(allow_null=True, help_text="Mean.")
    second = serializers.FloatField(allow_null=True, help_text="Mean.")
    apart = serializers.FloatField(allow_null=True, help_text="Mean of the absolute differences.")
    pearson = serializers.FloatField(allow_null=True)
    n_labels = serializers.IntegerField(help_text="With a label in both.")
    same_label = serializers.FloatField(allow_null=True, help_text="Share of these with the same label.")


class BesideRead(Output):
    settings = SettingRead(many=True, help_text="Those that differ on top.")
    aspects = AspectRead(many=True)


class UnreadReplies(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("UnreadReply", UnreadRead), parameters=LISTING, operation_id="unread_replies_list")
    def get(self, request: Request, slug: str) -> Any:
        """Replies of language models in which no rule found a label that is surely one, oldest first."""
        rows = unread_labels(study_for_reader(request.user, slug))
        return page(request, rows, _label, fields=names_of(UnreadRead))


class UnreadReply(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=UnreadWithReply, operation_id="unread_reply_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One of them with its words, and what can be chosen; 409 where it waits no more."""
        found = unread_of(study_for_reader(request.user, slug), pk)
        options = [{"choice": each.choice, "shown": each.shown} for each in found.question.options]
        more = {"reply": found.reply, "options": options, "may_be_open": bool(found.question.not_applicable)}
        return Response(_label(found.label) | more)

    @extend_schema(request=LabelSent, responses={204: None}, operation_id="unread_reply_decide")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Say which label it gives; with the last one, the figures are computed anew."""
        study = study_for_reader(request.user, slug)
        member = membership(request.user, study, Role.RESEARCHER, Role.ADMIN)
        said, actor = sent(LabelSent, request)["choice"], actor_of(request)
        decide_label(study=study, pk=pk, choice=said, member=member, actor=actor)
        if not unread_labels(study).exists():
            enqueue_snapshot(study, actor=actor)
        return Response(status=204)


class Passages(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Passage", PassageRead), parameters=LISTING, operation_id="passages_list")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """Passages that a run showed to a model, which look like orders to it, and which nobody has looked at."""
        rows = suspicious_passages(run_of(study_for_reader(request.user, slug), pk))
        return page(request, rows, _passage, fields=names_of(PassageRead))


class DismissPassage(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={204: None}, operation_id="passage_dismiss")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Note that a person looked at a passage and found it harmless."""
        study = study_for_reader(request.user, slug)
        found = SuspiciousPassage.objects.filter(run__study=study, pk=pk).first()
        if found is None:
            raise NotThereError("scoring.no_passage")
        dismiss_suspicion(passage=found, member=membership(request.user, study), actor=actor_of(request))
        return Response(status=204)


class RunBeside(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=BesideRead, operation_id="run_beside")
    def get(self, request: Request, slug: str, pk: int, other: int) -> Response:
        """Two runs of one method: what they were told, and how far what they found lies apart."""
        study = study_for_reader(request.user, slug)
        first, second = run_of(study, pk), run_of(study, other)
        aspects = [_named(AspectRead, each) for each in compare_scores(first, second)]
        settings = [_named(SettingRead, each) for each in compare_settings(first, second)]
        return Response({"settings": settings, "aspects": aspects})


def _named(row: type[Output], each: Setting | AspectCompared) -> dict[str, Any]:
    return {name: getattr(each, name) for name in names_of(row)}


def _label(label: ItemLabel) -> dict[str, Any]:
    about = {name: getattr(label, name) for name in ("candidate", "aspect", "reason")}
    return {"id": label.pk, "run": label.run_id, "item": label.item_id} | about


def _passage(row: SuspiciousPassage) -> dict[str, Any]:
    about = {name: getattr(row, name) for name in ("candidate", "sign", "passage")}
    return {"id": row.pk, "item": row.item_id, "annotation": row.annotation_id} | about
