"""Crowd → Pay: what is promised, owed, spent and left, what an hour pays, and payments."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError, NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.pay import selectors, services
from annotation_platform.crowd.pay.approving import approve_oldest
from annotation_platform.crowd.pay.budget import budget_of
from annotation_platform.crowd.pay.charts import rates_chart
from annotation_platform.crowd.pay.forms import CorrectionForm, TermsForm
from annotation_platform.crowd.pay.models import Approval
from annotation_platform.crowd.pay.rates import rates_of
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import membership

ENTRIES_SHOWN = 500

Done = tuple[str, str]
"""What was done, in words, and the address that it leads to."""


@login_required
@require_http_methods(["GET", "POST"])
def pay(request: PageRequest, slug: str) -> HttpResponse:
    """The page, and what is done on it: terms (admins), approving work, bonuses, collecting a payment."""
    study, context = enter(request, slug, "crowd_pay")
    if request.method == "GET":
        return _page(request, study, context)
    step = request.POST.get("step", "")
    if step == "terms":
        return _set_terms(request, study, context)
    if step not in STEPS:
        raise NotThereError("studies.no_study")
    try:
        words, leads_to = STEPS[step](request, study)
    except (InvalidInputError, ConflictError) as refused:
        messages.error(request, in_language(refused))
        return redirect("crowd_pay", slug=slug)
    messages.success(request, words)
    return redirect(leads_to)


@login_required
@require_http_methods(["GET", "POST"])
def member(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One annotator's entries, and a correction."""
    study, context = enter(request, slug, "crowd_pay")
    found = selectors.member_for(study, pk)
    terms = terms_of(study)
    form = CorrectionForm(request.POST or None, currency=terms.currency if terms else "USD")
    if request.method == "POST" and form.is_valid():
        try:
            seen = typed_number(request.POST.get("seen"))
            services.correct(member=found, **form.cleaned_data, seen=seen, actor=Actor.of_request(request))
        except DomainError as error:
            form.add_error("amount", in_language(error))
        else:
            messages.success(request, _("The correction is in the ledger. The annotator reads its reason."))
            return redirect("pay_member", slug=slug, pk=pk)
    entries = selectors.with_what_they_are_for(found.ledger.order_by("-pk"))
    context |= {
        "found": found,
        "terms": terms,
        "balance": found.ledger.all().balance(),
        "entries": entries.select_related("made_by")[:ENTRIES_SHOWN],
        "form": form,
        "corrections": services.corrections_of(found),
    }
    return render(request, "crowd/pay/member.html", context, status=422 if form.errors else 200)


def _page(request: PageRequest, study: Study, context: dict[str, Any], form: TermsForm | None = None) -> HttpResponse:
    terms = terms_of(study)
    context |= {
        "terms": terms,
        "form": form or TermsForm(terms=terms),
        "is_new": terms is None or form is not None,
        "approval": Approval(terms.approval).label if terms else "",
    }
    if terms is not None:
        rates = rates_of(study)
        context |= {
            "budget": budget_of(study),
            "rates": rates,
            "chart": rates_chart(rates) if rates else None,
            "accounts": selectors.accounts_of(study),
            "to_credit": selectors.count_to_credit(study),
            "oldest": selectors.to_approve(study).first(),
            "for_bonus": selectors.batches_for_bonus(study),
            "runs": selectors.runs_of(study),
        }
    return render(request, "crowd/pay/pay.html", context, status=422 if form else 200)


def _set_terms(request: PageRequest, study: Study, context: dict[str, Any]) -> HttpResponse:
    if not context["is_admin"]:
        raise NotThereError("studies.for_admins")
    form = TermsForm(request.POST, terms=terms_of(study))
    if form.is_valid():
        data = form.cleaned_data
        try:
            services.set_terms(
                study=study, **data | {"approval": Approval(data["approval"])}, actor=Actor.of_request(request)
            )
        except DomainError as error:
            form.add_error(None, in_language(error))
        else:
            messages.success(request, _("Saved. It holds for tasks that are taken from now on."))
            return redirect("crowd_pay", slug=study.slug)
    return _page(request, study, context, form)


def _approve(request: PageRequest, study: Study) -> Done:
    """Approve the submitted tasks that have no reward yet, the oldest first, some at a time."""
    by, oldest = membership(request.user, study), typed_number(request.POST.get("oldest"))
    made = approve_oldest(study=study, by=by, oldest=oldest, actor=Actor.of_request(request))
    words = ngettext("%(count)s task approved and credited.", "%(count)s tasks approved and credited.", made)
    return words % {"count": made}, _address(study)


def _bonus(request: PageRequest, study: Study) -> Done:
    batch = study.batches.filter(number=typed_number(request.POST.get("batch")) or 0).first()
    if batch is None:
        raise NotThereError("crowd.pay_no_batch")
    made = services.credit_bonus(batch=batch, actor=Actor.of_request(request))
    words = ngettext(
        "%(count)s person credited with the bonus of batch %(number)s.",
        "%(count)s people credited with the bonus of batch %(number)s.",
        made,
    )
    return words % {"count": made, "number": batch.number}, _address(study)


def _collect(request: PageRequest, study: Study) -> Done:
    """Lead on to the payment itself, where it is approved."""
    run = services.collect_payment(study=study, actor=Actor.of_request(request))
    words = _("Payment %(number)s is made. It waits for an admin's approval.") % {"number": run.number}
    return words, reverse("payment", args=[study.slug, run.number])


def _address(study: Study) -> str:
    return reverse("crowd_pay", args=[study.slug])


STEPS: dict[str, Callable[[PageRequest, Study], Done]] = {"approve": _approve, "bonus": _bonus, "collect": _collect}
