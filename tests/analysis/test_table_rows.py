"""A row of a table spread into cells: in the order of its fields, under their names or those that they ask for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.rows import CELL, Cells, Estimate, TableRow


@dataclass(frozen=True, kw_only=True)
class Counted(Estimate):
    count: int

    def cells(self, key: str) -> Cells:
        return {f"{key}_n": self.count} | super().cells(key)


@dataclass(frozen=True, kw_only=True)
class Row(TableRow):
    name: str
    rank: int
    shares: Mapping[int, float] = field(metadata={CELL: "rank_{}"})
    people: Estimate = field(metadata={CELL: "m0"})
    labels: Mapping[str, Counted]
    draws: tuple[float, ...] = ()


ROW = Row(
    name="alder",
    rank=1,
    shares={1: 0.75, 2: 0.25},
    people=Estimate(0.5, 0.25, 0.75, "", 900),
    labels={"yes": Counted(0.5, why="One group.", units=1, count=3)},
    draws=(0.1, 0.2),
)


def test_cells_stand_in_the_order_of_fields_and_are_called_as_these_say() -> None:
    expected = {
        "name": "alder",
        "rank": 1,
        "rank_1": 0.75,
        "rank_2": 0.25,
        "m0": 0.5,
        "m0_low": 0.25,
        "m0_high": 0.75,
        "m0_why": "",
        "m0_units": 900,
        "labels_yes_n": 3,
        "labels_yes": 0.5,
        "labels_yes_low": None,
        "labels_yes_high": None,
        "labels_yes_why": "One group.",
        "labels_yes_units": 1,
        "draws": (0.1, 0.2),
    }
    assert list(ROW.cells.items()) == list(expected.items())


def test_columns_find_cells_by_their_names() -> None:
    columns = [Column("name", "System"), Column("rank_2", "Is no. 2", "share"), Column("m0", "People", "value", True)]
    table = FigureTable("ranks", "Ranks", "", columns, [ROW])
    assert [text for text, _is_number in table.all_lines[0]] == ["alder", "25.0\u00a0%", "0.500 [0.250, 0.750]"]
    assert table.csv().splitlines()[:2] == ["name,rank_2,m0,m0_low,m0_high", "alder,0.25,0.5,0.25,0.75"]
