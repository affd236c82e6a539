"""One question: its page, submitting it, keeping drafts, and the hint that an explanation says little."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib import messages as notes
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations import forms, hints, selectors, services
from annotation_platform.annotations.holding import EarlierAttemptError, attempt_of
from annotation_platform.annotations.late import LateForm, keep_late_judgment
from annotation_platform.annotations.migrating import typed_today, values_today
from annotation_platform.annotations.selectors import HeldAssignment
from annotation_platform.annotations.taking import hold_item
from annotation_platform.annotations.threads import Thread, mark_read, unread
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes import InvalidJudgmentError, Scheme
from annotation_platform.studies.models import AssignmentState, Batch, BatchState, Item, SchemeVersion
from annotation_platform.studies.services import close_batch_if_complete, extension_of, may_extend, renew_lease
from workers.tasks import sweep

PRELOAD = "X-Preload"  # sent by static/annotate_drafts.js for a page that nobody looks at yet
PRELOADED_FOR = 300  # seconds that the browser may keep it


@login_required
@require_http_methods(["GET", "POST"])
def judge(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """One question: the document, the answer, and the scheme's aspects to judge it by."""
    if request.method == "POST":
        return _submit(request, pk, position)
    held = selectors.held_assignment(request.user, pk)
    items = list(selectors.items_of(held))
    item = selectors.at_position(items, position)
    scheme = _scheme(held)
    is_preload = PRELOAD in request.headers
    if held.is_open and not is_preload:
        renew_lease(assignment=held.assignment)
    content = selectors.content_of(held, item)
    values = values_today(held.assignment.hit.batch.study, content)
    return _judge_page(
        request,
        held,
        items,
        item,
        scheme,
        typed=forms.typed_from_values(scheme, values),
        seconds=content.seconds,
        version=content.version,
        strange=forms.without_place(scheme, values),
    )


def _submit(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """Store the judgment and go on to the next question, or show the page again with everything as it was sent."""
    sent = request.POST
    try:
        # The form is read by the scheme that it was made from; the service checks that it is still the study's.
        if (scheme := SchemeVersion.scheme_of(sent.get("scheme", ""), forms.interface_language())) is None:
            raise services.SchemeChangedError
        if contradictions := forms.contradictions(scheme, sent):
            raise InvalidJudgmentError(contradictions)
        form = LateForm(
            position=position,
            scheme=scheme,
            scheme_signature=sent["scheme"],
            raw=forms.typed_from_sent(scheme, sent),
            seconds=forms.seconds_from(sent.get("seconds", "")),
            submission_id=forms.uuid_from(sent.get("submission", "")),
            draft_version=forms.version_from(sent.get("version", "")),
            holder=sent.get("holder", ""),
        )
        try:
            submission = services.submit_judgment(actor=Actor.of_request(request), assignment_id=pk, **vars(form))
        except services.AssignmentLostError:
            held = selectors.held_assignment(request.user, pk, proof=sent.get("holder", ""))
            if not held.is_late:
                raise
            return _keep_late(request, held, form)
    except InvalidJudgmentError as invalid:
        return _sent_again(request, pk, position, status=422, errors=_in_language(invalid.errors))
    except ConflictError as conflict:
        return _sent_again(request, pk, position, status=409, notice=in_language(conflict), keep=True)
    return on_from(request, pk, submission)


def _keep_late(request: PageRequest, held: HeldAssignment, form: LateForm) -> HttpResponse:
    """Keep what comes when the time has run out and somebody else has the task; a researcher decides about it."""
    waiting = keep_late_judgment(
        assignment=held.assignment, annotator=held.annotator, form=form, actor=Actor.of_request(request)
    )
    notes.success(request, _("Your time had run out. What you submitted is kept, and a researcher decides about it."))
    target = reverse("work") if waiting is None else reverse("judge", args=[held.assignment.pk, waiting])
    return HttpResponseClientRedirect(target) if request.htmx else redirect(target)


def on_from(request: PageRequest, pk: int, submission: services.Submission) -> HttpResponse:
    """Lead on to what waits in the task, or to its end, which may be that of its batch."""
    if submission.hit_is_complete and close_batch_if_complete(
        batch=Batch.objects.get(pk=submission.batch_id), actor=Actor.of_request(request)
    ):
        sweep.delay_on_commit()
    if submission.next_position is None:
        target = reverse("done", args=[pk])
    else:
        target = reverse("judge", args=[pk, submission.next_position])
    return HttpResponseClientRedirect(target) if request.htmx else redirect(target)


def _in_language(errors: Mapping[str, str]) -> dict[str, str]:
    return {key: in_language(reason) for key, reason in errors.items()}


def _keep(
    held: HeldAssignment, item: Item, typed: Mapping[str, str], seconds: float, version: int, proof: str
) -> tuple[int, str]:
    """Keep as a draft what could not be submitted: its version, with which the form goes on, and why it is not kept,
    such as for a newer one of another tab.
    """
    try:
        held.check_attempt(proof)
        draft = services.save_draft(annotator=held.annotator, item=item, values=typed, seconds=seconds, version=version)
    except (services.DraftConflictError, EarlierAttemptError, InvalidInputError) as refused:
        return version, in_language(refused)
    return draft.version, ""


def _sent_again(
    request: PageRequest, pk: int, position: int, *, status: int, keep: bool = False, **extra: Any
) -> HttpResponse:
    """The page with everything as it was sent; ``keep`` it as a draft too, since the form cannot be sent again."""
    sent = request.POST
    seconds, version = forms.seconds_from(sent.get("seconds", "")) or 0, forms.version_from(sent.get("version", ""))
    not_kept = ""
    with transaction.atomic():
        held, item = hold_item(request.user, pk, position, proof=sent.get("holder", ""))
        scheme = _scheme(held)
        typed = typed_today(held.assignment.hit.batch.study, scheme, sent)
        if keep:
            version, not_kept = _keep(held, item, typed, seconds, version, sent.get("holder", ""))
    # Of an earlier version of the scheme, what has another key now is shown where it stands now.
    is_earlier = _is_of_earlier_scheme(held, sent)
    strange = forms.without_place(scheme, typed) + ([] if is_earlier else forms.unknown_fields(scheme, sent))
    items = list(selectors.items_of(held))
    page = _judge_page(
        request,
        held,
        items,
        selectors.at_position(items, position),
        scheme,
        typed=typed,
        seconds=seconds,
        version=version,
        strange=strange,
        not_kept=not_kept,
        holder=sent.get("holder", ""),
        **extra,
    )
    page.status_code = status
    return page


def _judge_page(
    request: PageRequest,
    held: HeldAssignment,
    items: Sequence[Any],
    item: Any,
    scheme: Scheme,
    *,
    typed: Mapping[str, str],
    seconds: float,
    version: int,
    errors: Mapping[str, str] | None = None,
    notice: str = "",
    strange: list[tuple[str, str]] | None = None,
    not_kept: str = "",
    holder: str = "",
) -> HttpResponse:
    study = held.assignment.hit.batch.study
    is_preload = PRELOAD in request.headers
    if is_preload:  # it will be seen once the question before it is submitted
        for each in items:
            each.is_judged |= str(each.position) == request.GET.get("after")
    material = selectors.material_of(item, scheme, held.annotator)
    thread = [] if held.is_lost else list(Thread(held.annotator, held.assignment).about(item))
    tells_news = bool(unread(thread, held.annotator))
    if tells_news and not is_preload:
        mark_read(thread, held.annotator)
    context = forms.form_context(scheme, material, typed, errors, gives_hints=study.gives_hints) | {
        "held": held,
        "study": study,
        "title": held.assignment.hit.article.title or study.name,
        "items": items,
        "item": item,
        "judged_count": sum(each.is_judged for each in items),
        "more_minutes": more_minutes(held),
        "preload": _to_preload(held, items, item) if held.is_open else "",
        "has_errors": bool(errors),
        "seconds": seconds,
        "version": version,
        "submission": uuid4(),
        "notice": notice if held.is_open else "",
        "why_not": why_not(held),
        "strange": strange,
        "not_kept": not_kept,
        "thread": thread,
        "is_answered": bool(thread) and not thread[-1].is_annotators,
        "key": _key(held, item, holder),
        "holder": holder or held.proof,  # a form of an earlier attempt stays one, or it would be saved as today's
        "commands": forms.commands(scheme, material),
    }
    # Errors come back to the form alone, so the document keeps its place; how the assignment stands comes along.
    is_fragment = request.htmx and request.method == "POST"
    context["is_refused"] = is_fragment and not held.is_open
    response = render(request, f"annotations/judge.html{'#judgment' if is_fragment else ''}", context)
    if is_preload and not tells_news:  # news are read on a page that is asked for when somebody looks at it
        patch_cache_control(response, private=True, max_age=PRELOADED_FOR)
    else:
        patch_cache_control(response, no_cache=True, no_store=True, private=True)
    return response


def _key(held: HeldAssignment, item: Item, holder: str) -> str:
    """Under which the browser keeps what is typed, for each attempt; an item's own would tell its age."""
    attempt = min(held.assignment.replicate, attempt_of(held.assignment, held.annotator, holder))
    return f"{held.annotator.pk}-{held.assignment.hit_id}-{item.position}" + (f"-{attempt}" if attempt else "")


def _to_preload(held: HeldAssignment, items: Sequence[Any], item: Item) -> str:
    """The address at which the page can load ahead what comes after this question; "" when nothing does.

    The query keeps it apart from the question's own address, where the page is never taken from a cache.
    """
    waiting = [each.position for each in items if not each.is_judged and each.pk != item.pk]
    following = next((position for position in waiting if position > item.position), min(waiting, default=None))
    if following is None:
        return ""
    return f"{reverse('judge', args=[held.assignment.pk, following])}?after={item.position}"


def more_minutes(held: HeldAssignment) -> int:
    """How many minutes the annotator may add to their time now; 0: none."""
    if held.is_lost or not may_extend(held.assignment):
        return 0
    return extension_of(held.assignment.hit.batch.study) // timedelta(minutes=1)


def why_not(held: HeldAssignment) -> str:
    """Why nothing can be submitted in the assignment any more; "" while it can."""
    if held.is_lost and held.assignment.annotator is None:
        return _("This task was given back and is not yours any more. What you wrote is kept.")
    if held.is_late:
        return _(
            "Your time for this task ran out and somebody else has it now. What you wrote is kept below. You can still "
            "submit it: a researcher then decides whether it counts."
        )
    if held.assignment.hit.batch.state == BatchState.OPEN and held.assignment.hit.batch.is_over:
        return _("The deadline has passed: no more judgments are taken. What you wrote is kept.")
    if not held.is_of_this_time:
        return _("This is from an earlier attempt of yours and cannot be changed any more.")
    if not held.is_open:
        return _("This batch has closed and takes no more judgments. What you wrote is kept below.")
    return ""


@login_required
@require_POST
@transaction.atomic
def draft(request: PageRequest, pk: int, position: int) -> JsonResponse:
    """Keep what stands in the form; the answer is the draft's version, or what another tab saved meanwhile.

    To a form of an earlier version of the scheme it also says so, and what stands in it under today's keys (``mine``).
    """
    held, item = hold_item(request.user, pk, position, proof=request.POST.get("holder", ""))
    try:
        held.check_attempt(request.POST.get("holder", ""))
    except EarlierAttemptError as error:
        return JsonResponse({"reason": in_language(error)}, status=422)
    scheme = _scheme(held)
    if held.is_open:
        renew_lease(assignment=held.assignment)
    assignment = held.assignment
    is_settled = held.is_lost or assignment.state == AssignmentState.SUBMITTED
    expires = None if is_settled else assignment.lease_expires_at
    typed = typed_today(assignment.hit.batch.study, scheme, request.POST)
    version = forms.version_from(request.POST.get("version", ""))
    outdated = {"reason": _outdated(), "mine": typed} if _is_of_earlier_scheme(held, request.POST) else {}
    submitted = selectors.submitted_values(held, item)
    standing = {"expires": expires, "judged": submitted is not None}
    if submitted is not None and services.forget_repetition(
        annotator=held.annotator, item=item, scheme=scheme, values=typed, submitted=submitted, version=version
    ):
        return JsonResponse({"version": 0} | standing)
    try:
        saved = services.save_draft(
            annotator=held.annotator,
            item=item,
            values=typed,
            seconds=forms.seconds_from(request.POST.get("seconds", "")) or 0,
            version=version,
        )
    except services.DraftConflictError as conflict:
        theirs = forms.typed_from_values(scheme, conflict.current.values)
        return JsonResponse({"version": conflict.current.version, "typed": theirs} | outdated, status=409)
    except InvalidInputError as error:
        return JsonResponse({"reason": in_language(error)}, status=422)
    return JsonResponse({"version": saved.version} | standing | outdated)


@login_required
@require_POST
def hint(request: PageRequest, pk: int, position: int) -> HttpResponse:
    """A gentle word when the explanation in the form says little, or nothing; it can be dismissed and never blocks."""
    held = selectors.held_assignment(request.user, pk, proof=request.POST.get("holder", ""))
    study = held.assignment.hit.batch.study
    item = selectors.item_at(held.assignment, position)
    scheme = _scheme(held)
    material = selectors.material_of(item, scheme, held.annotator)
    slot = hints.slot_named(scheme, material, request.POST.get("slot", ""))
    if slot is None or not study.gives_hints:
        return HttpResponse()
    if "dismiss" in request.POST:
        services.dismiss_hint(annotator=held.annotator, item=item, slot=slot)
        return HttpResponse()
    typed = forms.typed_from_sent(scheme, request.POST)
    words = hints.give(annotator=held.annotator, item=item, scheme=scheme, material=material, slot=slot, typed=typed)
    if not words:
        return HttpResponse()
    url = reverse("hint", args=[pk, position])
    context = {"hint": words, "slot": slot, "hint_url": url}
    return render(request, "annotations/_hint.html", context)


def _scheme(held: HeldAssignment) -> Scheme:
    return held.assignment.hit.batch.study.scheme(forms.interface_language())


def _is_of_earlier_scheme(held: HeldAssignment, sent: QueryDict) -> bool:
    """Whether the study has had another version of its scheme since the form was made."""
    return sent.get("scheme", "") not in ("", held.assignment.hit.batch.study.scheme_version.signature)


def _outdated() -> str:
    return _("Saved. But the questions have changed since this page was loaded: load it again.")
