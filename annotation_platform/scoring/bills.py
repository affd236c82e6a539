"""What runs cost, in words: what is paid, and what a dry run expects. An unknown price is never a zero."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext

from annotation_platform.core.reasons import Reason
from annotation_platform.scoring.models import ScoringRun


def money(amount: Decimal | float) -> str:
    """US dollars with as many places as it takes, up to six: small bills are many."""
    words = f"{amount:.6f}".rstrip("0").rstrip(".")
    whole, point, cents = words.partition(".")
    return f"${whole}{point}{cents.ljust(2, '0') if point else ''}"


def paid_in_words(run: ScoringRun) -> str:
    """What a run of :func:`selectors.runs_of` paid for the replies that it was the first to need."""
    if not run.parameters.get("model"):
        return gettext("nothing")
    replies, unpriced, paid = run.own_replies, run.unpriced_replies, run.paid  # type: ignore[attr-defined]
    tokens = [_tokens(run.spent_tokens)] if run.spent_tokens else []
    if unpriced == replies and (replies or not is_priced(run)):
        parts = [gettext("price not known"), *(tokens or [gettext("nor tokens") if replies else _tokens(0)])]
    else:
        more = gettext("and %(count)s replies whose price is not known") % {"count": f"{unpriced:,}"}
        parts = [money(paid), *([more] if unpriced else []), *tokens]
    known = gettext(", ").join(parts)
    return gettext("%(paid)s; %(late)s") % {"paid": known, "late": _late(run)} if run.late_tokens else known


def _tokens(count: int) -> str:
    return gettext("%(count)s tokens") % {"count": f"{count:,}"}


def _late(run: ScoringRun) -> str:
    """What the server may bill for attempts in vain."""
    said = {"tokens": f"{run.late_tokens:,}", "money": money(run.late_cost)}
    if is_priced(run):
        words = gettext("and at most %(money)s and %(tokens)s tokens for attempts that timed out or were broken off")
    else:
        words = gettext("and at most %(tokens)s tokens for attempts that timed out or were broken off")
    return words % said


def attempts_of(run: ScoringRun) -> int:
    """How often the server was asked by a run of :func:`selectors.runs_of`: with a reply, or with none in time."""
    return int(run.own_replies) + run.late_attempts  # type: ignore[attr-defined]


def is_priced(run: ScoringRun) -> bool:
    """Whether the run knows what its model's tokens cost."""
    return run.parameters.get("price_in") is not None and run.parameters.get("price_out") is not None


def expected_in_words(estimate: Mapping[str, Any]) -> Reason:
    """The bill that a dry run expects, as far as prices and tokens are known."""
    requests = Reason("scoring.bill_requests", requests=estimate["requests"])
    return Reason("scoring.bill", parts=[_dollars_expected(estimate), _tokens_expected(estimate), requests])


def _dollars_expected(estimate: Mapping[str, Any]) -> Reason:
    if "dollars expected" not in estimate:
        return Reason("scoring.bill_without_price")
    expected, low, high = _with_range(estimate, "dollars")
    if low is None or low == high:
        return Reason("scoring.bill_dollars", expected=expected)
    return Reason("scoring.bill_dollars_between", expected=expected, low=low, high=high)


def _tokens_expected(estimate: Mapping[str, Any]) -> Reason:
    if not estimate.get("tokens expected"):
        return Reason("scoring.bill_without_tokens")
    expected, low, high = _with_range(estimate, "tokens")
    if low is None or low == high:
        return Reason("scoring.bill_tokens", expected=expected)
    return Reason("scoring.bill_tokens_between", expected=expected, low=low, high=high)


def _with_range(estimate: Mapping[str, Any], unit: str) -> tuple[Any, Any, Any]:
    return estimate[f"{unit} expected"], estimate.get(f"{unit} low"), estimate.get(f"{unit} high")
