"""Two annotators side by side: every item that both judged, as labelled and as rescaled."""

from collections import defaultdict
from typing import Any
from urllib.parse import urlencode

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.selectors.tables.asked import Asked
from annotation_platform.analysis.selectors.tables.base import Column, FigureTable, Row
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.errors import NotThereError
from annotation_platform.scoring.models import Score
from annotation_platform.studies.models import Assignment, Item, Member

MOST_ITEMS = 500  # of a pair are shown; the export has them all


def chosen_pair(aspect: Row, asked: str) -> tuple[str, str]:
    """The pair asked for as ``first~second``; without a question, the one whose τ changes most.

    Raises
    ------
    NotThereError
        When the snapshot has no such pair.
    """
    pairs = aspect["pairs_all"]
    if not asked and pairs:
        best = max(pairs, key=lambda pair: (pair["change"] is not None, abs(pair["change"] or 0), pair["n"]))
        return best["annotators"][0], best["annotators"][1]
    for pair in pairs:
        if asked == "~".join(pair["annotators"]):
            return pair["annotators"][0], pair["annotators"][1]
    raise NotThereError("There is no such pair of annotators in these figures.")


def _shared_items(snapshot: AgreementSnapshot, pair: tuple[str, str]) -> list[int]:
    """Keys of the first items of the snapshot's batches that both had before them; by their places, which are few."""
    members = dict(Member.objects.filter(study=snapshot.study_id, pseudonym__in=pair).values_list("pseudonym", "pk"))
    one, other = (Assignment.objects.filter(annotator=members[name]) for name in pair)
    shared = one.filter(hit__in=other.values("hit"), hit__batch__number__in=snapshot.head["batches"])
    hits = list(shared.order_by("hit").values_list("hit", flat=True).distinct()[:MOST_ITEMS])
    return list(Item.objects.filter(hit__in=hits).order_by("hit", "pk").values_list("pk", flat=True)[:MOST_ITEMS])


def pair_table(asked: Asked) -> FigureTable | None:
    """The joined judgments of two annotators: labels, numbers and the scores of the snapshot's run.

    None where no two annotators judged the same item.
    """
    snapshot, aspect = asked.snapshot, asked.figures
    if not aspect["pairs_all"]:
        return None
    pair = chosen_pair(aspect, asked.pair)
    closed = Annotation.objects.closed().filter(
        item__in=_shared_items(snapshot, pair), annotator__study=snapshot.study_id, annotator__pseudonym__in=pair
    )
    ratings = list(
        Rating.objects.filter(aspect=aspect["aspect"], annotation__in=closed)
        .order_by("annotation__item_id", "annotation_id")
        .values_list("annotation_id", "annotation__item_id", "candidate", "annotation__annotator__pseudonym", "choice")
    )
    scores: dict[int, float] = {}
    if snapshot.run_id is not None and aspect["is_rescaled"]:
        scored = Score.objects.filter(run=snapshot.run_id, aspect=aspect["aspect"], annotation__in=closed)
        scores = dict(scored.values_list("annotation_id", "value"))
        ratings = [row for row in ratings if row[0] in scores]
    labels = {label["key"]: label["label"] for label in aspect["labels"]}
    by_unit: dict[tuple[int, int], dict[str, list[Any]]] = defaultdict(lambda: {name: [] for name in pair})
    for pk, item, candidate, name, choice in ratings:
        by_unit[item, candidate][name].append((labels[choice], scores.get(pk)))
    rows: list[Row] = [
        {
            "item": item,
            "candidate": candidate or None,
            "label_a": a[0],
            "score_a": a[1],
            "label_b": b[0],
            "score_b": b[1],
        }
        for (item, candidate), sides in by_unit.items()
        for a in sides[pair[0]]
        for b in sides[pair[1]]
    ]
    first, second = pair
    same_label = sum(row["label_a"] == row["label_b"] for row in rows)
    n = next(each["n"] for each in aspect["pairs_all"] if tuple(each["annotators"]) == pair)
    reading = f"Annotators {first} and {second} judged the same answer {n} times"
    reading += f"; these are the first {len(rows)}, and they" if len(rows) < n else " and"
    reading += f" gave the same label in {same_label} of them."
    charts = {"pair-raw": "As labelled; the larger a dot, the more items."}
    if scores:
        charts |= {
            "pair-rescaled": "As rescaled; on the dashed line both have the same score.",
            "pair-labels": "Which scores the explanations behind each label gave; the larger a dot, the more of them.",
        }
    return FigureTable(
        name="pair",
        title=f"Annotators {first} and {second}",
        reading=reading,
        columns=[
            Column("item", "Item", "count"),
            Column("label_a", f"Label of {first}"),
            Column("score_a", f"Score of {first}", "score"),
            Column("label_b", f"Label of {second}"),
            Column("score_b", f"Score of {second}", "score"),
        ],
        rows=rows,
        charts=charts if rows else {},
        meta={"labels": aspect["labels"], "pair": list(pair), "query": f"?{urlencode({'pair': '~'.join(pair)})}"},
    )
