"""What people type, on a page or the command line, read as amounts and numbers."""

from decimal import ROUND_DOWN, Decimal, InvalidOperation

from annotation_platform.core.errors import InvalidInputError

LEAST, MOST = Decimal("0.0001"), Decimal("99999999")  # as budgets are stored
LONGEST = 18  # digits: a key of the database has no more


def read_budget(text: str) -> Decimal | None:
    """An amount of US dollars, as budgets are stored; None where nothing was typed.

    Raises
    ------
    InvalidInputError
        It is no amount, or one that no budget can have.
    """
    if not (text := text.strip().removeprefix("$").strip()):
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if amount.is_nan():
        raise InvalidInputError("scoring.budget_unread", text=text[:40])
    if not LEAST <= amount <= MOST:
        raise InvalidInputError("scoring.budget_out_of_range", text=text[:40], least=LEAST, most=MOST)
    return amount.quantize(LEAST, ROUND_DOWN)


def read_number(text: str | None) -> int:
    """A key or a place in a list, as addresses and forms hold it; 0, which is neither, for anything else."""
    return int(text) if text and text.isdecimal() and len(text) <= LONGEST else 0
