"""What runs cost, in words: what is paid, and what a dry run expects. An unknown price is never a zero."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from annotation_platform.scoring.models import ScoringRun


def money(amount: Decimal | float) -> str:
    """US dollars with as many places as it takes, up to six: small bills are many."""
    words = f"{amount:.6f}".rstrip("0").rstrip(".")
    whole, point, cents = words.partition(".")
    return f"${whole}{point}{cents.ljust(2, '0') if point else ''}"


def paid_in_words(run: ScoringRun) -> str:
    """What a run of :func:`selectors.runs_of` paid for the replies that it was the first to need."""
    if not run.parameters.get("model"):
        return "nothing"
    replies, unpriced, paid = run.own_replies, run.unpriced_replies, run.paid  # type: ignore[attr-defined]
    tokens = f", {run.spent_tokens:,} tokens" if run.spent_tokens else ""
    if unpriced == replies and (replies or not is_priced(run)):
        known = f"price not known{tokens or (', nor tokens' if replies else ', 0 tokens')}"
    else:
        more = f", and {unpriced:,} replies whose price is not known" if unpriced else ""
        known = f"{money(paid)}{more}{tokens}"
    return f"{known}{_late(run)}"


def _late(run: ScoringRun) -> str:
    """What the server may bill for attempts that timed out."""
    if not run.late_attempts:
        return ""
    most = f"{money(run.late_cost)} and " if is_priced(run) else ""
    attempts = "an attempt" if run.late_attempts == 1 else f"{run.late_attempts:,} attempts"
    return f"; and at most {most}{run.late_tokens:,} tokens for {attempts} that timed out"


def attempts_of(run: ScoringRun) -> int:
    """How often the server was asked by a run of :func:`selectors.runs_of`: with a reply, or in vain."""
    return int(run.own_replies) + run.late_attempts  # type: ignore[attr-defined]


def is_priced(run: ScoringRun) -> bool:
    """Whether the run knows what its model's tokens cost."""
    return run.parameters.get("price_in") is not None and run.parameters.get("price_out") is not None


def expected_in_words(estimate: Mapping[str, Any]) -> str:
    """The bill that a dry run expects, as far as prices and tokens are known."""
    bill = []
    if "dollars expected" in estimate:
        bill.append(f"${estimate['dollars expected']:.4f}{_between(estimate, 'dollars', '${:.4f}')}")
    else:
        bill.append("price not known")
    if estimate.get("tokens expected"):
        bill.append(f"{estimate['tokens expected']:,} tokens{_between(estimate, 'tokens', '{:,}')}")
    else:
        bill.append("the server counts no tokens")
    return f"{', '.join(bill)}, {estimate['requests']:,} requests"


def _between(estimate: Mapping[str, Any], unit: str, form: str) -> str:
    low, high = estimate.get(f"{unit} low"), estimate.get(f"{unit} high")
    return "" if low is None or low == high else f" (between {form.format(low)} and {form.format(high)})"
