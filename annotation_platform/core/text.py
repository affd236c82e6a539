"""How numbers, shares and short texts are written, the same everywhere."""

import re
from collections.abc import Iterable, Sequence

from annotation_platform.core.reasons import gettext_noop

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
"""What an e-mail address looks like, also inside other text."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""Where spreadsheet programs take a text for a formula, in ASCII and full width."""
ONE_GROUP = gettext_noop("It rests on a single group; an interval needs at least two.")
"""Why a share has no interval; here, since pages say it that load no statistics."""
TOO_FEW_TO_COMPARE = gettext_noop(
    "There are too few annotators to say whether one of them stands apart from the others."
)
"""Here for the same reason."""
LARGEST_NUMBER = 2**63 - 1
"""As whole numbers are stored."""
_SENTENCE_END = re.compile(r"[.!?…]+[\"”’')\]]*(?= )|[。！？]+[」』）]*")


def guarded(text: str) -> str:
    """A text that no spreadsheet program takes for a formula: one that begins so has an apostrophe in front.

    Examples
    --------
    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1")
    ("'=1+1", "''=1+1", '1+1')
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_STARTS) else text


def unguarded(text: str) -> str:
    """The inverse of :func:`guarded`."""
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA_STARTS) else text


def format_numbers(numbers: Iterable[int], *, prefix: str = "") -> str:
    """Numbers in order, three or more in a row as a range; ``prefix`` precedes each that stands alone or opens a range.

    Examples
    --------
    >>> format_numbers([7, 3, 4, 9, 5])
    '3-5, 7, 9'
    """
    runs: list[list[int]] = []  # first, last
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(
        f"{prefix}{first}-{last}" if last > first + 1 else ", ".join(f"{prefix}{n}" for n in range(first, last + 1))
        for first, last in runs
    )


def typed_number(text: str | None, *, most: int = LARGEST_NUMBER) -> int | None:
    """A whole number as somebody typed it, a file has it, or an address; None: it is none, or none that can be meant.

    Python refuses to read thousands of digits, and databases refuse what is larger than ``most``.

    >>> typed_number(" 12 "), typed_number("１２"), typed_number("-1"), typed_number("²"), typed_number("9" * 5_000)
    (12, 12, None, None, None)
    >>> typed_number("7", most=6), typed_number(None)
    (None, None)
    """
    typed = (text or "").strip()
    if not typed.isdecimal() or len(typed) > len(str(LARGEST_NUMBER)):
        return None
    return number if (number := int(typed)) <= most else None


def decimal(value: float, digits: int, *, with_plus: bool = False) -> str:
    """A number with so many digits, a true minus, and no sign before what reads as zero.

    >>> decimal(-0.004, 2), decimal(-0.5, 2), decimal(0.5, 2, with_plus=True)
    ('0.00', '−0.50', '+0.50')
    """
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return ("−" if value < 0 else "+" if with_plus else "") + text


def batches_in_words(numbers: Sequence[int]) -> str:
    """Batches by their numbers.

    Examples
    --------
    >>> batches_in_words([2]), batches_in_words([3, 1, 2]), batches_in_words([])
    ('batch 2', 'batches 1-3', 'no batch')
    """
    if not numbers:
        return "no batch"
    return f"batch{'' if len(numbers) == 1 else 'es'} {format_numbers(numbers)}"


def quotation(text: str, most: int) -> str:
    """The beginning of a text in at most so many characters: whole sentences where one fits, else whole words.

    Spaces and line ends become one space each, and what looks like an e-mail address is not shown.

    Examples
    --------
    >>> quotation("It is short. It says nothing about the bridge.", 20)
    'It is short. …'
    >>> quotation("One sentence that is too long", 20)
    'One sentence that …'
    >>> quotation("Ask me@example.org", 20)
    'Ask …@…'
    """
    plain = EMAIL.sub("…@…", " ".join(text.split()))
    if len(plain) <= most:
        return plain
    kept = plain[: most - 2]
    ends = [match.end() for match in _SENTENCE_END.finditer(plain, 0, most - 1) if match.end() <= len(kept)]
    if not ends:
        space = kept.rfind(" ")
        ends = [space if space > most // 2 else len(kept)]
    return f"{kept[: ends[-1]].rstrip()} …"


def percent(share: float, digits: int = 0) -> str:
    """A share as all pages, texts and figures write it: with an unbreakable space before the sign.

    >>> percent(0.307, 1)
    '30.7\xa0%'
    """
    return f"{100 * share:.{digits}f}\u00a0%"


def counted(n: int, one: str) -> str:
    """A number of things in English, for texts that are not translated.

    Examples
    --------
    >>> counted(1, "item"), counted(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{n:,} {one}{'' if n == 1 else 's'}"
