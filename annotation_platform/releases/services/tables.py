"""Rows as lines of CSV: the one way in which files of exports and releases write them."""

import csv
from collections.abc import Iterable
from typing import Any


class _Lines(list[str]):
    """What a csv.writer writes to, a line at a time."""

    write = list.append


def csv_lines(rows: Iterable[Iterable[Any]]) -> list[str]:
    """Each row as a line that ends with a line feed, with quotes only where they are needed."""
    lines = _Lines()
    # The writer quotes a lone carriage return, which readers take for the end of a line, only where lines end with one.
    csv.writer(lines, lineterminator="\r\n").writerows(rows)
    return [line[:-2] + "\n" for line in lines]
