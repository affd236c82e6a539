"""The researcher's pages about one check: picking an answer for it, and what it accepts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.core.qualification import AcceptedAnswersError
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.crowd.checks.fields import accepted_fields, sent_accepted
from annotation_platform.crowd.checks.models import Check
from annotation_platform.crowd.checks.page import PAGE
from annotation_platform.crowd.checks.selectors import check_in
from annotation_platform.crowd.checks.services import NewCheck, add_checks, correct_check
from annotation_platform.crowd.pages import enter
from annotation_platform.studies.models import Study

ANSWERS_PER_PAGE = 30


@login_required
@require_safe
def pick_check(request: PageRequest, slug: str) -> HttpResponse:
    """The answers of the study's corpus, to make checks of; those that are checks already are left out."""
    study, context = enter(request, slug, PAGE)
    words = request.GET.get("q", "").strip()
    answers = Answer.objects.filter(question__article__corpus=study.corpus_id)
    answers = answers.exclude(pk__in=Check.objects.filter(study=study).values("answers__answer"))
    if words:
        answers = answers.filter(
            Q(question__text__icontains=words) | Q(text__icontains=words) | Q(question__external_id=words)
        )
    answers = answers.select_related("question__article", "system")
    ordered = answers.order_by("question__article__position", "question__position", "system__name")
    found = Paginator(ordered, ANSWERS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "crowd/checks/pick.html", context | {"answers": found, "words": words})


@login_required
@require_http_methods(["GET", "POST"])
def new_check(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """What is accepted for an answer; stored, it is a check."""
    study, context = enter(request, slug, PAGE)
    answer = Answer.objects.filter(question__article__corpus=study.corpus_id, pk=pk)
    found = answer.select_related("question__article__corpus", "system").first()
    if found is None:
        raise NotThereError("crowd.no_check")
    answers = [found]
    if study.scheme().judges_candidates:
        answers = list(Answer.objects.filter(question=found.question).select_related("system").order_by("system__name"))
    kind = request.POST.get("kind", Check.Kind.GOLD)

    def store(raw: Mapping[str, Any]) -> None:
        chosen = Check.Kind(kind) if kind in Check.Kind.values else Check.Kind.GOLD
        made = NewCheck(found.question, answers, raw, chosen)
        add_checks(study=study, new=[made], actor=Actor.of_request(request), made_under=request.POST.get("scheme", ""))
        messages.success(request, _("The check is stored. Mix it into draft batches."))

    context |= {"kinds": Check.Kind.choices, "kind": kind}
    return _form(request, study, context, found.question, answers, dict, store)


@login_required
@require_http_methods(["GET", "POST"])
def check(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """What a check accepts; corrected, all its judgments are looked at again."""
    study, context = enter(request, slug, PAGE)
    row = check_in(study, pk)
    answers = [each.answer for each in row.answers.select_related("answer__system")]

    def store(raw: Mapping[str, Any]) -> None:
        made_under = request.POST.get("scheme", "")
        changed = correct_check(check=row, accepted=raw, actor=Actor.of_request(request), made_under=made_under)
        said = ngettext(
            "Stored. One judgment came out otherwise now.",
            "Stored. %(count)s judgments came out otherwise now.",
            changed,
        )
        messages.success(request, said % {"count": changed})

    context |= {"check": row}
    return _form(request, study, context, row.question, answers, lambda: check_in(study, pk).accepted, store)


def _form(
    request: PageRequest,
    study: Study,
    context: dict[str, Any],
    question: Question,
    answers: Sequence[Answer],
    stored: Callable[[], Mapping[str, Any]],
    store: Any,
) -> HttpResponse:
    """Show what is accepted, or store what was sent; what was typed stays where it cannot be."""
    scheme = study.scheme(interface_language())
    shape = NewCheck(question, answers, {}).shape(scheme)
    raw: Mapping[str, Any] = stored()
    errors: dict[str, str] = {}
    reason = ""
    if request.method == "POST":
        raw = sent_accepted(scheme, shape, request.POST)
        try:
            store(raw)
        except ConflictError as changed:
            study.refresh_from_db(fields=["scheme_version"])
            scheme = study.scheme(interface_language())
            shape = NewCheck(question, answers, {}).shape(scheme)
            raw, reason = stored(), in_language(changed)
        except AcceptedAnswersError as refused:
            errors = {slot: in_language(why) for slot, why in refused.errors.items()}
        except InvalidInputError as refused:
            reason = in_language(refused)
        else:
            return redirect(reverse(PAGE, args=[study.slug]) + "#checks")
    context |= {
        "question": question,
        "answers": answers,
        "sentences": question.article.sentences.order_by("number") if "article" in scheme.parts else (),
        "fields": accepted_fields(scheme, shape, raw, errors),
        "reason": reason,
        "has_errors": bool(errors or reason),
    }
    return render(request, "crowd/checks/check.html", context, status=422 if errors or reason else 200)
