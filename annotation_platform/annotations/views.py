"""The annotator's pages: what waits, the instructions, one question at a time, and words to the researcher."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations import forms, selectors, services
from annotation_platform.annotations.selectors import Place
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.core.schemes import InvalidJudgmentError, Scheme, SentencesAspect
from annotation_platform.core.schemes.definition import LANGUAGES
from annotation_platform.studies.models import AssignmentState, Batch, Item, Member, Role, SchemeVersion, Study
from annotation_platform.studies.services import (
    NothingToClaimError,
    claim_assignment,
    close_batch_if_complete,
    renew_lease,
    return_assignment,
)
from workers.tasks import batch_closed

SUBMITTED_PER_PAGE = 20


@login_required
@require_GET
def work(request: PageRequest) -> HttpResponse:
    """The annotator's studies with what waits, tasks under way, and those submitted."""
    submitted = selectors.places_of(request.user, AssignmentState.SUBMITTED).order_by("-submitted_at", "-pk")
    return render(
        request,
        "annotations/work.html",
        {
            "studies": selectors.studies_of(request.user, _language()),
            "under_way": selectors.places_of(request.user, AssignmentState.CLAIMED).order_by("claimed_at"),
            "submitted": Paginator(submitted, SUBMITTED_PER_PAGE).get_page(request.GET.get("page")),
            "nothing_in": request.GET.get("nothing"),
        },
    )


@login_required
@require_POST
def take(request: PageRequest, slug: str) -> HttpResponse:
    """Give the annotator a place; the first one of all opens with the instructions."""
    member = (
        Member.objects.filter(study__slug=slug, user=request.user.pk, role=Role.ANNOTATOR)
        .select_related("study")
        .first()
    )
    if member is None:
        raise NotThereError("There is no such study, or it is not open to you.")
    try:
        assignment = claim_assignment(annotator=member)
    except NothingToClaimError:
        return redirect(f"{reverse('work')}?nothing={slug}")
    if not selectors.has_judged_before(member):
        return redirect("instructions", pk=assignment.pk)
    return redirect("judge", pk=assignment.pk, position=1)


@login_required
@require_POST
def give_back(request: PageRequest, pk: int) -> HttpResponse:
    """Free a place for somebody else; what was typed stays with the annotator, should they take the task again."""
    place = selectors.place_for(request.user, pk)
    if not return_assignment(assignment=place.assignment, annotator=place.annotator):
        raise ConflictError(_("This task cannot be given back: it is submitted already, or somebody else has it now."))
    return redirect("work")


@login_required
@require_GET
def instructions(request: PageRequest, pk: int) -> HttpResponse:
    """The scheme's guidelines and worked examples: a page of their own, and what the judge page shows on a key."""
    place = selectors.place_for(request.user, pk)
    scheme = _scheme(place.assignment.hit.batch.study)
    context = {"place": place, "scheme": scheme, "instructions": forms.instructions(scheme)}
    return render(request, "annotations/instructions.html" + ("#body" if request.htmx else ""), context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def judge(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """One question: the document, the answer, and the scheme's aspects to judge it by."""
    if request.method == "POST":
        return _submit(request, pk, position)
    place = selectors.place_for(request.user, pk)
    item = selectors.item_at(place.assignment, position)
    scheme = _scheme(place.assignment.hit.batch.study)
    if place.is_open:
        renew_lease(assignment=place.assignment)
    content = selectors.content_of(place.annotator, item)
    typed = forms.typed_from_values(scheme, content.values)
    return _judge_page(request, place, item, scheme, typed=typed, seconds=content.seconds, version=content.version)


def _submit(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """Store the judgment and go on to the next question, or show the page again with everything as it was sent."""
    sent = request.POST
    try:
        # The form is read by the scheme that it was made from; the service checks that it is still the study's.
        if (scheme := SchemeVersion.scheme_of(sent.get("scheme", ""), _language())) is None:
            raise services.SchemeChangedError
        if contradictions := forms.contradictions(scheme, sent):
            raise InvalidJudgmentError(contradictions)
        submission = services.submit_judgment(
            user_id=request.user.pk,
            assignment_id=pk,
            position=position,
            scheme=scheme,
            scheme_signature=sent["scheme"],
            raw=forms.typed_from_sent(scheme, sent),
            seconds=forms.seconds_from(sent.get("seconds", "")),
            submission_id=forms.uuid_from(sent.get("submission", "")),
            draft_version=forms.version_from(sent.get("version", "")),
        )
    except InvalidJudgmentError as invalid:
        return _sent_again(request, pk, position, status=422, errors=_in_language(invalid.errors))
    except ConflictError as conflict:
        return _sent_again(request, pk, position, status=409, notice=forms.in_language(str(conflict)), keep=True)
    if submission.hit_is_complete and close_batch_if_complete(batch=Batch.objects.get(pk=submission.batch_id)):
        batch_closed.delay_on_commit(submission.batch_id)
    if submission.next_position is None:
        target = reverse("done", args=[pk])
    else:
        target = reverse("judge", args=[pk, submission.next_position])
    return HttpResponseClientRedirect(target) if request.htmx else redirect(target)


def _in_language(errors: Mapping[str, str]) -> dict[str, str]:
    return {key: forms.in_language(reason) for key, reason in errors.items()}


def _keep(place: Place, item: Item, typed: Mapping[str, str], sent: Mapping[str, str]) -> None:
    """Keep as a draft what could not be submitted, unless another tab has a newer one."""
    version = forms.version_from(sent.get("version", ""))
    seconds = forms.seconds_from(sent.get("seconds", "")) or 0
    with suppress(services.DraftConflictError, InvalidInputError):
        services.save_draft(annotator=place.annotator, item=item, values=typed, seconds=seconds, version=version)


def _sent_again(
    request: PageRequest, pk: int, position: int, *, status: int, keep: bool = False, **extra: Any
) -> HttpResponse:
    """The page with everything as it was sent; ``keep`` it as a draft too, since the form cannot be sent again."""
    sent = request.POST
    place = selectors.place_for(request.user, pk, proof=sent.get("holder", ""))
    item = selectors.item_at(place.assignment, position)
    scheme = _scheme(place.assignment.hit.batch.study)
    if keep:
        _keep(place, item, forms.typed_from_sent(scheme, sent), sent)
    page = _judge_page(
        request,
        place,
        item,
        scheme,
        typed=forms.typed_from_sent(scheme, sent),
        seconds=forms.seconds_from(sent.get("seconds", "")) or 0,
        version=forms.version_from(sent.get("version", "")),
        strange=forms.strange_fields(scheme, sent),
        **extra,
    )
    page.status_code = status
    return page


def _judge_page(
    request: PageRequest,
    place: Place,
    item: Item,
    scheme: Scheme,
    *,
    typed: Mapping[str, str],
    seconds: float,
    version: int,
    errors: Mapping[str, str] | None = None,
    notice: str = "",
    strange: list[tuple[str, str]] | None = None,
) -> HttpResponse:
    article = place.assignment.hit.article
    items = list(selectors.items_of(place))
    context = {
        "place": place,
        "study": place.assignment.hit.batch.study,
        "article": article,
        "sentences": article.sentences.all() if "article" in scheme.shown else [],
        "scheme": scheme,
        "cites": any(isinstance(aspect, SentencesAspect) for aspect in scheme.aspects),
        "cited": forms.cited_in(scheme, typed, article.sentence_count),
        "items": items,
        "item": next(each for each in items if each.pk == item.pk),
        "judged_count": sum(each.is_judged for each in items),
        "steps": forms.steps(scheme, typed, errors),
        "has_errors": bool(errors),
        "seconds": seconds,
        "version": version,
        "submission": uuid4(),
        "notice": notice or _why_not(place),
        "strange": strange,
        "thread": None if place.is_lost else selectors.thread(place.assignment, place.annotator),
        "key": f"{place.annotator.pk}-{item.pk}",
        "texts": _texts(),
    }
    # Errors come back to the form alone, so the document keeps its place.
    fragment = "#judgment" if request.htmx and request.method == "POST" else ""
    response = render(request, f"annotations/judge.html{fragment}", context)
    patch_cache_control(response, no_cache=True, no_store=True, private=True)
    return response


def _why_not(place: Place) -> str:
    """Why the form cannot be submitted, if it cannot."""
    if place.is_lost:
        return _("Your time for this task ran out and somebody else has it now. What you wrote is kept below.")
    if not place.is_open:
        return _("This batch has closed and takes no more judgments. What you wrote is kept below.")
    return ""


@login_required
@require_POST
def draft(request: PageRequest, pk: int, position: int) -> JsonResponse:
    """Keep what stands in the form; the answer is the draft's version, or what another tab saved meanwhile."""
    place = selectors.place_for(request.user, pk, proof=request.POST.get("holder", ""))
    item = selectors.item_at(place.assignment, position)
    scheme = _scheme(place.assignment.hit.batch.study)
    if place.is_open:
        renew_lease(assignment=place.assignment)
    try:
        saved = services.save_draft(
            annotator=place.annotator,
            item=item,
            values=forms.typed_from_sent(scheme, request.POST),
            seconds=forms.seconds_from(request.POST.get("seconds", "")) or 0,
            version=forms.version_from(request.POST.get("version", "")),
        )
    except services.DraftConflictError as conflict:
        theirs = forms.typed_from_values(scheme, conflict.current.values)
        return JsonResponse({"version": conflict.current.version, "typed": theirs}, status=409)
    except InvalidInputError as error:
        return JsonResponse({"reason": forms.in_language(str(error))}, status=422)
    expires = None if place.is_lost else place.assignment.lease_expires_at  # not another holder's
    return JsonResponse({"version": saved.version, "expires": expires})


@login_required
@require_GET
def done(request: PageRequest, pk: int) -> HttpResponse:
    """The task is submitted; the next one is a button away."""
    place = selectors.place_for(request.user, pk)
    items = list(selectors.items_of(place))
    if waiting := [item.position for item in items if not item.is_judged]:
        return redirect("judge", pk=pk, position=waiting[0])
    study = place.assignment.hit.batch.study
    context = {
        "place": place,
        "study": study,
        "items": items,
        "waiting": selectors.waiting_hits(place.annotator),
        "thread": selectors.thread(place.assignment, place.annotator),
    }
    return render(request, "annotations/done.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def messages(request: PageRequest, pk: int) -> HttpResponse:
    """The thread of a place, for its annotator and the study's researchers."""
    assignment, member = selectors.correspondence(request.user, pk)
    context: dict[str, Any] = {"assignment": assignment, "reader": member, "text": ""}
    status = 200
    if request.method == "POST":
        text = request.POST.get("text", "")
        try:
            services.send_message(assignment=assignment, author=member, text=text)
        except InvalidInputError as error:
            context |= {"error": forms.in_language(str(error)), "text": text}
            status = 422
        else:
            if not request.htmx:
                return redirect("messages", pk=pk)
    context["thread"] = selectors.thread(assignment, member)
    template = "annotations/messages.html" + ("#thread" if request.htmx else "")
    return render(request, template, context, status=status)


def _scheme(study: Study) -> Scheme:
    return study.scheme(_language())


def _language() -> str:
    """The interface's language, as far as schemes know it."""
    language = (get_language() or "en").split("-")[0]
    return language if language in LANGUAGES else "en"


def _texts() -> dict[str, str]:
    """What the page's script says."""
    return {
        "saving": _("Saving…"),
        "saved": _("Saved"),
        "unsaved": _("Not saved yet"),
        "offline": _("Not saved: no connection. It is kept in this browser."),
        "restored": _("Restored from this browser"),
        "conflict": _("Not saved: changed elsewhere"),
        "signed_out": _("Not saved: you are signed out. It is kept in this browser; sign in again in another tab."),
        "not_sent": _("Not submitted: no connection. What you wrote is kept in this browser; submit again later."),
        "refused": _("Not submitted: the server refused. What you wrote is kept in this browser; load the page again."),
        "minutes_left": _("%s min left"),
        "last_minute": _("less than a minute left"),
        "time_is_up": _("time is up; still yours until taken"),
        "cited": _("%s cited"),
        "to_go": _("%s more characters, please"),
        "left": _("%s characters left"),
        "too_long": _("%s characters too many"),
    }
