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
        raise InvalidInputError(f"Budget: “{text[:40]}” is not an amount of dollars, such as 5 or 0.50.")
    if not LEAST <= amount <= MOST:
        raise InvalidInputError(
            f"Budget: {text[:40]} dollars cannot be spent. Give an amount from {LEAST} to {MOST:,}, or none at all."
        )
    return amount.quantize(LEAST, ROUND_DOWN)


def read_number(text: str | None) -> int:
    """A key or a place in a list, as addresses and forms hold it; 0, which is neither, for anything else."""
    return int(text) if text and text.isdecimal() and len(text) <= LONGEST else 0
