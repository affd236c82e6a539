"""One payment: approving it, its file, what was paid, and what a person must settle."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language, lines_in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.pay import paid_file, selectors, services
from annotation_platform.crowd.pay.by_prolific import in_file, order_bonuses, payable
from annotation_platform.crowd.pay.models import LineState, PaymentRun, PaymentState
from annotation_platform.crowd.pay.money import amount_of
from annotation_platform.studies.selectors import study_for_admin


@login_required
@require_http_methods(["GET", "POST"])
def payment(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """For researchers to look at; everything that is done to it is for admins."""
    study, context = enter(request, slug, "crowd_pay")
    run = selectors.run_for(study, number)
    if request.method == "GET":
        return _page(request, run, context)
    if not context["is_admin"]:
        raise NotThereError("studies.for_admins")
    step = request.POST.get("step", "")
    if step not in STEPS:
        raise NotThereError("crowd.pay_no_payment", number=number)
    try:
        messages.success(request, STEPS[step](request, run))
    except InvalidInputError as refused:
        return _page(request, run, context, refused=lines_in_language(refused), sent=request.POST)
    except ConflictError as refused:
        messages.error(request, in_language(refused))
    return redirect("payment", slug=slug, number=number)


@login_required
@require_safe
def payment_file(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """The payment for whoever pays; admins only, and once it is approved."""
    run = selectors.run_for(study_for_admin(request.user, slug), number)
    return file_of(run, method=request.method, actor=Actor.of_request(request))


def file_of(run: PaymentRun, *, method: str | None, actor: Actor) -> HttpResponse:
    """A payment's file; who asks for the head of it alone, as programs do before they download, is handed out none."""
    text = paid_file.written(run) if method == "HEAD" else services.hand_out_file(run=run, actor=actor)
    return csv_response(text, f"{run.study.slug}-payment-{run.number}.csv")


def csv_response(text: str, name: str) -> HttpResponse:
    return HttpResponse(
        text.encode("utf-8-sig"),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"},
    )


def _page(
    request: PageRequest,
    run: PaymentRun,
    context: dict[str, Any],
    refused: list[str] | None = None,
    sent: Any = None,
) -> HttpResponse:
    lines = list(run.lines.select_related("member").order_by("member__pseudonym"))
    by_prolific = payable(run) if context["is_admin"] and run.state == PaymentState.APPROVED else []
    context |= {
        "run": run,
        "lines": lines,
        "total": sum(line.amount for line in lines),
        "by_prolific": by_prolific,
        "in_file": in_file(line for line, _ in by_prolific),
        "differing": [line for line in lines if line.state == LineState.DIFFERS],
        "is_approved": run.state == PaymentState.APPROVED,
        "why_not_approve": services.why_not_approve(run, context["member"]),
        "refused": refused,
        "sent": sent,
    }
    return render(request, "crowd/pay/payment.html", context, status=422 if refused else 200)


def _approve(request: PageRequest, run: PaymentRun) -> str:
    services.approve_payment(run=run, actor=Actor.of_request(request))
    words = _("Payment %(number)s is approved. Download its file, pay, and send the file back with what was paid.")
    return words % {"number": run.number}


def _cancel(request: PageRequest, run: PaymentRun) -> str:
    services.cancel_payment(run=run, actor=Actor.of_request(request))
    return _("Payment %(number)s is cancelled. What is owed goes into the next one.") % {"number": run.number}


def _record(request: PageRequest, run: PaymentRun) -> str:
    sent = request.FILES.get("file")
    content = sent.read(paid_file.MOST_BYTES + 1) if sent else b""
    done = services.record_paid(run=run, rows=paid_file.read(run, content), actor=Actor.of_request(request))
    parts = [_("%(count)s paid") % {"count": done.paid}]
    if done.differs:
        parts.append(_("%(count)s with another amount, for you to settle below") % {"count": done.differs})
    if done.known:
        parts.append(_("%(count)s known already") % {"count": done.known})
    return _("Recorded: %(what)s.") % {"what": ", ".join(parts)}


def _by_prolific(request: PageRequest, run: PaymentRun) -> str:
    unused = _file_unused(request)
    calls = order_bonuses(run=run, file_unused=unused, actor=Actor.of_request(request))  # the next sweep does it
    people = sum(call.lines.count() for call in calls)
    words = ngettext(
        "Prolific is asked to pay %(count)s person; it is recorded once it is done.",
        "Prolific is asked to pay %(count)s people; it is recorded once it is done.",
        people,
    )
    return words % {"count": people}


def _file_unused(request: PageRequest) -> datetime | None:
    """The newest file that the page showed, where its box was ticked."""
    try:
        said = parse_datetime(request.POST.get("file_unused", ""))
    except ValueError:
        return None
    return said if said is not None and is_aware(said) else None


def _settle(request: PageRequest, run: PaymentRun) -> str:
    line = selectors.line_for(run, _key(request))
    amount = amount_of(request.POST.get("amount", ""), run.currency)
    services.settle_line(line=line, amount=amount, actor=Actor.of_request(request))
    return _("Settled for %(name)s.") % {"name": line.member}


def _reverse(request: PageRequest, run: PaymentRun) -> str:
    line = selectors.line_for(run, _key(request))
    services.reverse_payment(line=line, reason=request.POST.get("reason", ""), actor=Actor.of_request(request))
    return _("Noted. What came back is owed to %(name)s again.") % {"name": line.member}


def _key(request: PageRequest) -> int:
    return typed_number(request.POST.get("line")) or 0


STEPS: dict[str, Callable[[PageRequest, PaymentRun], str]] = {
    "approve": _approve,
    "cancel": _cancel,
    "record": _record,
    "prolific": _by_prolific,
    "settle": _settle,
    "reverse": _reverse,
}
