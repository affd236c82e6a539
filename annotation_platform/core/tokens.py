"""The words of a text as places in it, by one plain rule for all languages: what statistics of marked spans count."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

_UNSPACED = (  # scripts without spaces between words: kana, ideographs, Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+(?:['’](?:(?![{_UNSPACED}])\w)+)*|[^\w\s]")


def tokens(text: str) -> list[tuple[int, int]]:
    """Start and end of each token, in code points.

    A token is a run of letters and digits, also with an apostrophe within; a single character of a script that has no
    spaces between its words; or any other single character that is no space.

    Examples
    --------
    >>> [("It's 5 km, 橋まで"[a:b]) for a, b in tokens("It's 5 km, 橋まで")]
    ["It's", '5', 'km', ',', '橋', 'ま', 'で']
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def tokens_within(places: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The tokens that a span of the text touches, also in part: the first, and the one behind the last.

    Parameters
    ----------
    places : sequence of (start, end)
        From :func:`tokens`.
    start, end : int
        The span, in code points; one of nothing but space touches none (first = last).

    Examples
    --------
    >>> tokens_within([(0, 4), (5, 6), (7, 9)], 2, 6)
    (0, 2)
    """
    first = bisect_right(places, start, key=lambda each: each[1])
    last = bisect_left(places, end, key=lambda each: each[0])
    return first, max(first, last)
