"""The researchers' pages of Prolific: the connection, the submissions, the orders and what became of them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.providers.prolific import orders
from annotation_platform.crowd.providers.prolific.connecting import connect, connection_for
from annotation_platform.crowd.providers.prolific.finding import call_in, submission_in
from annotation_platform.crowd.providers.prolific.forms import (
    BonusForm,
    ConnectionForm,
    OfferForm,
    RejectForm,
    initial,
)
from annotation_platform.crowd.providers.prolific.models import (
    CARRIED_OUT,
    NOT_CARRIED_OUT,
    OVER,
    ProlificStudy,
    ProviderCall,
    Submission,
    in_units,
)
from annotation_platform.crowd.providers.prolific.offering import (
    LONGEST_NAME,
    address_for,
    make_offer,
    publish_study,
)
from annotation_platform.crowd.providers.prolific.visits import tasks_done
from annotation_platform.studies.selectors import task_time
from workers.tasks import enqueue_calls

PER_PAGE, ORDERS_SHOWN = 25, 30


@login_required
@require_http_methods(["GET", "POST"])
def prolific(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole of it; on POST the connection is stored."""
    study, context = enter(request, slug, "sources")
    connection = connection_for(study)
    form = ConnectionForm(request.POST or None, initial=initial(connection), label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            connect(
                study=study,
                codes=form.codes,
                tasks_wanted=form.cleaned_data["tasks_wanted"],
                external_studies=form.studies,
                seen_studies=form.seen,
                is_open=form.cleaned_data["is_open"],
                checks_signature=form.cleaned_data["checks_signature"],
                token=form.cleaned_data["token"],
                hook_secret=form.cleaned_data["hook_secret"],
                actor=Actor.of_request(request),
            )
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            messages.success(request, _("Saved."))
            return redirect("prolific", slug=slug)
    context |= {"form": form, "connection": connection}
    if connection is not None:
        context |= _shown(request, connection)
    return render(request, "crowd/prolific/prolific.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "POST"])
def submission(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One submission: approve it, reject it with a reason, or give it a bonus."""
    study, context = enter(request, slug, "sources")
    one = submission_in(study, pk)
    do = request.POST.get("do", "")
    reject_form = RejectForm(request.POST if do == "reject" else None, label_suffix="")
    bonus_form = BonusForm(request.POST if do == "bonus" else None, label_suffix="")
    error = ""
    if request.method == "POST":
        try:
            done = _order(do, one, reject_form, bonus_form, Actor.of_request(request))
        except DomainError as refused:
            error = in_language(refused)
        else:
            if done:
                enqueue_calls()
                messages.success(request, done)
                return redirect("prolific_submission", slug=slug, pk=pk)
    paid = {"paid_here": in_units(orders.paid_here(one)), "paid_there": in_units(one.bonus_there)}
    context |= {"submission": one, "reject_form": reject_form, "bonus_form": bonus_form, "error": error}
    context |= {"is_over": one.state in OVER, "calls": _orders(one.connection, one), **paid}
    context |= {"seen": one.bonuses.count(), "done": tasks_done(one)}
    is_wrong = error or (request.method == "POST")
    return render(request, "crowd/prolific/submission.html", context, status=422 if is_wrong else 200)


@login_required
@require_POST
def settle_call(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say whether an unclear order was carried out; or have one that was refused made again."""
    study, _context = enter(request, slug, "sources")
    call, actor, said = call_in(study, pk), Actor.of_request(request), request.POST.get("said", "")
    try:
        if said == "again":
            orders.try_again(call=call, actor=actor)
            enqueue_calls()
            messages.success(request, _("It is tried again."))
        elif said in ("done", "not-done"):
            made = request.POST.get("external_study", "").strip()
            orders.settle(call=call, was_done=said == "done", external_study=made, actor=actor)
            messages.success(request, _("Noted. The order is never sent again."))
        else:
            raise InvalidInputError("crowd.settle_how")
    except DomainError as refused:
        messages.error(request, in_language(refused))
    return redirect(reverse("prolific", args=[slug]) + "#orders")


@login_required
@require_http_methods(["GET", "POST"])
def new_prolific_study(request: HttpRequest, slug: str) -> HttpResponse:
    """Have a study made on Prolific, as a draft that can still be changed there."""
    study, context = enter(request, slug, "sources")
    if (connection := connection_for(study)) is None:
        return redirect("prolific", slug=slug)
    form = OfferForm(request.POST or None, initial=_offered(connection), label_suffix="")
    if request.method == "POST" and form.is_valid():
        arriving = request.build_absolute_uri(reverse("prolific_arriving", args=[connection.address_token]))
        try:
            make_offer(connection=connection, offer=form.offer, arriving=arriving, actor=Actor.of_request(request))
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            enqueue_calls()
            messages.success(request, _("Prolific is asked to make the draft. Look through it there, then publish it."))
            return redirect(reverse("prolific", args=[slug]) + "#made")
    context |= {"form": form, "connection": connection}
    return render(request, "crowd/prolific/new_study.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def publish_prolific_study(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have a draft published that was made from here."""
    study, _context = enter(request, slug, "sources")
    made = call_in(study, pk)
    try:
        publish_study(made=made, actor=Actor.of_request(request))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    else:
        enqueue_calls()
        messages.success(request, _("Prolific is asked to publish it."))
    return redirect(reverse("prolific", args=[slug]) + "#made")


def _offered(connection: ProlificStudy) -> dict[str, Any]:
    """What the form of a new study begins with."""
    study = connection.study
    minutes = task_time(study).minutes
    return {
        "name": study.name[:LONGEST_NAME],
        "description": study.about or study.scheme().description,
        "places": study.overlap,
        "minutes": minutes and minutes * connection.tasks_wanted,
    }


def _order(do: str, one: Submission, reject_form: RejectForm, bonus_form: BonusForm, actor: Actor) -> str:
    """Do what was asked for, and say so; empty when the form is to be filled in again."""
    if do == "approve":
        orders.approve(submission=one, actor=actor)
        return _("Prolific is asked to approve it.")
    if do == "reject" and reject_form.is_valid():
        orders.reject(submission=one, **reject_form.cleaned_data, actor=actor)
        return _("Prolific is asked to reject it.")
    if do == "bonus" and bonus_form.is_valid():
        orders.pay_one_bonus(
            submission=one, amount=bonus_form.minor_units, seen=bonus_form.cleaned_data["seen"], actor=actor
        )
        return _("Prolific is asked to pay the bonus.")
    return ""


def _shown(request: HttpRequest, connection: ProlificStudy) -> dict[str, Any]:
    submissions = connection.submissions.select_related("member")
    address = request.build_absolute_uri(reverse("prolific_arriving", args=[connection.address_token]))
    return {
        "address": address_for(address),
        "made": _made(connection),
        "hook_address": request.build_absolute_uri(reverse("prolific_hook", args=[connection.address_token])),
        "submissions": Paginator(submissions, PER_PAGE).get_page(request.GET.get("page")),
        "unclear": [_ledgers(call) for call in connection.calls.filter(state=ProviderCall.State.UNCLEAR)],
        "calls": _orders(connection),
    }


def _made(connection: ProlificStudy) -> list[dict[str, Any]]:
    """The studies that were made from here, the newest first, each with the order that publishes it."""
    made = connection.calls.filter(kind=ProviderCall.Kind.CREATE, state__in=CARRIED_OUT)
    publishing = connection.calls.filter(kind=ProviderCall.Kind.PUBLISH).order_by("pk")
    by_study = {call.external_study: call for call in publishing}  # the newest order of each
    rows = [(call, by_study.get(call.external_study)) for call in made]
    return [
        {"call": call, "publishing": last, "may_publish": last is None or last.state in NOT_CARRIED_OUT}
        for call, last in rows
    ]


def _orders(connection: ProlificStudy, one: Submission | None = None) -> list[ProviderCall]:
    calls = connection.calls.select_related("submission__member", "created_by", "settled_by")
    if one is not None:
        calls = (calls.filter(submission=one) | calls.filter(lines__submission=one)).distinct()
    return list(calls.prefetch_related("lines__submission__member")[:ORDERS_SHOWN])


def _ledgers(call: ProviderCall) -> dict[str, Any]:
    """An unclear order with both ledgers beside each other, line by line."""
    lines = call.lines.select_related("submission__member")
    rows = [
        (line, in_units(orders.paid_here(line.submission)), in_units(line.submission.bonus_there)) for line in lines
    ]
    return {"call": call, "rows": rows}
