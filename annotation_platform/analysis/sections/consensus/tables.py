"""Consensus labels: the labels by each way, how far the ways agree, competence, and the least certain items."""

from annotation_platform.analysis.measuring.certainty import unit_called
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.sections.consensus.figures import (
    CONSENSUS,
    WAYS,
    ConsensusOfAspect,
    UncertainItem,
    Way,
)
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    in_a_row,
    number,
    sided,
    some,
    with_interval,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.text import ONE_GROUP

NO_INTERVAL_WORDS = "without intervals, so that nobody can be said to be more reliable"
SURE = 0.95  # the posterior from which on a model counts as sure of an item
LINES = "; lines are 95\u00a0% intervals."
COMPETENCE = {"mace": "knows the label (MACE)", "dawid_skene": "gives the true label (Dawid–Skene)"}


def consensus_of(asked: TableRequest) -> ConsensusOfAspect:
    return asked.section(CONSENSUS).aspects[asked.aspect]


def ways_table(asked: TableRequest) -> FigureTable | None:
    """What each way makes of the items: how many it decides, how sure it is, and how often it gives each label."""
    found = consensus_of(asked)
    if not sum(way.items + way.undecided for way in found.ways):
        return None
    rows = [_way_row(way) for way in found.ways]
    return FigureTable(
        name="consensus",
        unit=unit_called(found.unit),
        title="Consensus labels",
        reading=_ways_reading(found),
        columns=[
            Column("name", "Way"),
            Column("items", "Items with a label", "count"),
            Column("undecided", "Tied", "count"),
            Column("posterior", "Mean posterior", "share", True),
            *[Column(f"label_{label.key}", label.label, "share", True) for label in asked.head.labels],
        ],
        rows=rows,
    )


def _way_row(way: Way) -> Row:
    row: Row = {"name": WAYS[way.way], "items": way.items, "undecided": way.undecided} | sided(
        "posterior", way.posterior
    )
    for key, label in way.labels.items():
        row[f"label_{key}_count"] = label.count
        row |= with_interval(f"label_{key}", label.share, label.interval, ONE_GROUP, units=label.units)
    return row


def _ways_reading(found: ConsensusOfAspect) -> str:
    majority = found.ways[0]
    items = majority.items + majority.undecided
    text = f"Majority decides all {items:,} items" if items > 1 else "Majority decides the only item"
    if majority.undecided:
        share = number(majority.undecided / items, "share")
        text = (
            f"Majority leaves {majority.undecided:,} of {items:,} items tied ({share})"
            if items > 1
            else "The only item is tied"
        )
    if found.undefined_because:
        return f"{text}. Dawid–Skene and MACE are not defined: {found.undefined_because}"
    return (
        f"{text}; Dawid–Skene and MACE weigh each annotator by how reliable they turn out to be, and decide every item."
        " Their posteriors can hold only where annotators err independently of each other; of items that mislead many"
        f" of them the models are too sure.{_sure_of_all(found)}"
    )


def _sure_of_all(found: ConsensusOfAspect) -> str:
    if not found.uncertain or any(_least_of(each) < SURE for each in found.uncertain):
        return ""
    return f" Both are at least {number(SURE, 'share')} sure of every item, so none is listed as uncertain."


def _least_of(item: UncertainItem) -> float:
    return min(item.dawid_skene_posterior, item.mace_posterior)


def compared_table(asked: TableRequest) -> FigureTable | None:
    """How many items get the same label in two ways; None where there is only one way."""
    found = consensus_of(asked)
    if not found.compared:
        return None
    rows: list[Row] = [
        {"name": f"{each.first} and {each.second}", "items": each.same.items, "different": each.different}
        | sided("same", each.same)
        | {"undefined_because": each.same.why_not}
        for each in found.compared
    ]
    return FigureTable(
        name="consensus-ways",
        unit=unit_called(found.unit),
        title="Does the way matter?",
        reading=_compared_reading(rows),
        columns=[
            Column("name", "Ways"),
            Column("same", "Same label", "share", True),
            Column("different", "Items that differ", "count"),
            Column("items", "Items with a label in both", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
    )


def _compared_reading(rows: list[Row]) -> str:
    """Each share with its interval, so that it can be seen which of them differ."""
    defined = [row for row in rows if row["same"] is not None]
    if not defined:
        return "No item has a label in two ways."
    said = [f"{row['name']} to {_with_ends(row)}" for row in defined]
    said[0] = said[0].replace(" to ", " give the same label to ", 1)
    return f"Of the items that both decide, {in_a_row(said)}."


def _with_ends(row: Row) -> str:
    text = number(row["same"], "share")
    if row["same_low"] is None:
        return text
    return f"{text} [{number(row['same_low'], 'share')}, {number(row['same_high'], 'share')}]"


def competence_table(asked: TableRequest) -> FigureTable | None:
    """Each annotator's competence in both models, in the order of the other pages; None without the models."""
    found = consensus_of(asked)
    if not found.annotators:
        return None
    rows: list[Row] = [
        {"name": each.name, "judgments": each.judgments, "items": each.items}
        | sided("mace", each.mace)
        | sided("dawid_skene", each.dawid_skene)
        | {"undefined_because": each.mace.why_not}
        for each in found.annotators
    ]
    return FigureTable(
        name="competence",
        unit=unit_called(found.unit),
        title="Competence of the annotators",
        reading=" ".join(
            [_competence_reading(rows, "mace"), *_guessing(rows), _competence_reading(rows, "dawid_skene")]
        ),
        columns=[
            Column("name", "Annotator"),
            Column("mace", "Knows the label (MACE)", "share", True),
            Column("dawid_skene", "Gives the true label (Dawid–Skene)", "share", True),
            Column("judgments", "Judgments", "count"),
            Column("items", "Items", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={
            "competence-mace": f"MACE: how often an annotator knows the label instead of guessing{LINES}",
            "competence-dawid-skene": f"Dawid–Skene: how often an annotator gives the true label{LINES}",
        }
        if any(row["mace"] is not None for row in rows)
        else {},
        ranked_by={"competence-mace": "mace", "competence-dawid-skene": "dawid_skene"},
    )


def _competence_reading(rows: list[Row], key: str) -> str:
    """Between whom it runs, and whether their intervals say that the two differ."""
    what = COMPETENCE[key]
    defined = [row for row in rows if row[key] is not None]
    if not defined:
        return f"How often an annotator {what} is not defined: {rows[0]['undefined_because']}"
    least, most = (pick(defined, key=lambda row: row[key]) for pick in (min, max))
    if least is most:
        return f"Annotator {most['name']} {what} in {number(most[key], 'share')} of cases."
    text = (
        f"How often an annotator {what} runs from {number(least[key], 'share')}"
        f" (annotator {least['name']})"
        f" to {number(most[key], 'share')} (annotator {most['name']})"
    )
    if least[f"{key}_high"] is None or most[f"{key}_low"] is None:
        return f"{text}, {NO_INTERVAL_WORDS}."
    are_apart = least[f"{key}_high"] < most[f"{key}_low"]
    return f"{text}, {'and their intervals do not meet' if are_apart else 'a difference that may be chance'}."


def _guessing(rows: list[Row]) -> list[str]:
    """Who significantly guesses more often than they know the label."""
    sure = [row["name"] for row in rows if row["mace_high"] is not None and row["mace_high"] < 0.5]
    if not sure:
        return []
    who = f"Annotator {sure[0]} guesses" if len(sure) == 1 else f"Annotators {in_a_row(some(sure))} guess"
    ends = "the interval lies" if len(sure) == 1 else "their intervals lie"
    return [f"{who} more often than they know: {ends} below 50\u00a0%."]


def uncertain_table(asked: TableRequest) -> FigureTable | None:
    """The items that a model is not sure of; None without the models, or where both are sure of every item."""
    uncertain = [each for each in consensus_of(asked).uncertain if _least_of(each) < SURE]
    if not uncertain:
        return None
    title = {label.key: label.label for label in asked.head.labels}
    rows: list[Row] = [
        {
            "item": each.item,
            "text": each.text,
            "article": each.article,
            "question": each.question,
            "system": each.system,
        }
        | {"majority": "tied" if each.majority is None else title[each.majority]}
        | {"dawid_skene": title[each.dawid_skene], "dawid_skene_posterior": each.dawid_skene_posterior}
        | {"mace": title[each.mace], "mace_posterior": each.mace_posterior}
        for each in uncertain
    ]
    has_system = any(row["system"] for row in rows)
    return FigureTable(
        name="uncertain",
        title="The least certain items",
        reading=_uncertain_reading(rows, asked.head),
        columns=[
            Column("article", "Article"),
            Column("question", "Question"),
            *([Column("system", "System")] if has_system else []),
            Column("majority", "Majority"),
            Column("dawid_skene", "Dawid–Skene"),
            Column("dawid_skene_posterior", "Posterior (Dawid–Skene)", "share"),
            Column("mace", "MACE"),
            Column("mace_posterior", "Posterior (MACE)", "share"),
        ],
        rows=rows,
    )


def _uncertain_reading(rows: list[Row], head: AspectHead) -> str:
    least = min(min(row["dawid_skene_posterior"], row["mace_posterior"]) for row in rows)
    what = "candidate" if head.per == "candidate" else "item"
    which = f"these {len(rows)} {what}s" if len(rows) > 1 else f"this {what}"
    return (
        f"Of {which} at least one of the two models is less than {number(SURE, 'share')} sure; the least certain comes"
        f" first, with {number(least, 'share')}. Guessing among {len(head.labels)} labels would be"
        f" {number(1 / len(head.labels), 'share')}."
    )


TABLES = {
    "consensus": TableOf((CONSENSUS.key,), ways_table),
    "consensus-ways": TableOf((CONSENSUS.key,), compared_table),
    "competence": TableOf((CONSENSUS.key,), competence_table),
    "uncertain": TableOf((CONSENSUS.key,), uncertain_table),
}
