"""An annotator's own earnings, with their reasons; nobody else's."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from annotation_platform.crowd.pay.money import plain
from annotation_platform.crowd.pay.paid_file import csv_of, for_spreadsheets
from annotation_platform.crowd.pay.payment_page import csv_response
from annotation_platform.crowd.pay.selectors import own_accounts, own_entries, own_waiting
from annotation_platform.crowd.pay.wording import what_for

ENTRIES_PER_PAGE = 50


@login_required
@require_safe
def earnings(request: HttpRequest) -> HttpResponse:
    entries = Paginator(own_entries(request.user), ENTRIES_PER_PAGE).get_page(request.GET.get("page"))
    context = {"accounts": own_accounts(request.user), "waiting": own_waiting(request.user), "entries": entries}
    return render(request, "crowd/pay/earnings.html", context)


@login_required
@require_safe
def earnings_file(request: HttpRequest) -> HttpResponse:
    """All entries as CSV, in English for whoever reads it."""
    columns = ("Date", "Study", "Kind", "For", "Amount", "Currency")
    rows: Any = (
        [
            f"{entry.created_at:%Y-%m-%d %H:%M}Z",
            for_spreadsheets(entry.study.name),
            entry.get_kind_display(),
            for_spreadsheets(what_for(entry)),
            plain(entry.amount, entry.currency),
            entry.currency,
        ]
        for entry in own_entries(request.user).iterator()
    )
    with override(settings.LANGUAGE_CODE):
        return csv_response(csv_of(columns, rows), "earnings.csv")
