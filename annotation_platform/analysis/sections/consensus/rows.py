"""Consensus labels of every judged item: what an export of them holds, a row for each item and aspect."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from annotation_platform.analysis.measuring.judgment_table import AspectSpec, JudgmentTable
from annotation_platform.analysis.measuring.judgments import measures, read_judgments
from annotation_platform.analysis.measuring.units import Units, read_units
from annotation_platform.analysis.sections.consensus.measure import ways_of
from annotation_platform.studies.models import Item, Study

DIGITS = 6  # of a posterior; the last ones differ from processor to processor


class ConsensusRow(NamedTuple):
    """One item, or candidate of one, under one aspect; labels are keys, None where a way gives none.

    ``majority_share`` is the share of the judgments that have the majority's label, and posteriors are those of the
    labels that the models give. ``undefined_because`` says why the models say nothing.
    """

    study: str
    aspect: str
    article_id: str
    question_id: str
    system: str
    item_id: int
    candidate: int | None
    judgments: int
    majority: str | None
    majority_share: float | None
    dawid_skene: str | None
    dawid_skene_posterior: float | None
    mace: str | None
    mace_posterior: float | None
    undefined_because: str | None


def consensus_rows(study: Study) -> Iterator[list[ConsensusRow]]:
    """The rows of each aspect with labels, from all current judgments of closed batches, whatever was scored.

    Items come in the order of their external names. The same data gives the same rows: MACE starts from the seed 0.
    """
    asked = measures(study)
    units = {per: read_units(study, per=per) for per in {aspect.per for aspect, _ in asked}}
    named = Item.objects.filter(study=study).values_list(
        "pk", "question__article__external_id", "question__external_id"
    )
    names = {pk: (article, question) for pk, article, question in named.order_by().iterator()}
    for aspect, spec in asked:
        table, _ = read_judgments(study, aspect, spec, units[aspect.per]).with_scores(None)
        yield list(_rows(study, spec, table, units[aspect.per], names))


def _rows(
    study: Study, spec: AspectSpec, table: JudgmentTable, units: Units, names: dict[int, tuple[str, str]]
) -> Iterator[ConsensusRow]:
    if not len(table):
        return
    found, keys, about = ways_of(table), [label.key for label in spec.labels], units.keys.tolist()
    judgments, votes = np.bincount(table.items).tolist(), found.votes.tolist()
    labels = {
        way: [None if code != code else keys[int(code)] for code in column] for way, column in found.labels.items()
    }
    posteriors = {way: column.tolist() for way, column in found.posteriors.items()}
    for place, unit in enumerate(table.units.tolist()):
        item, candidate = about[unit]
        yield ConsensusRow(
            study=study.name,
            aspect=spec.key,
            article_id=names[item][0],
            question_id=names[item][1],
            system=table.systems[table.system_of_item[place]],
            item_id=item,
            candidate=candidate or None,
            judgments=judgments[place],
            majority=labels["majority"][place],
            majority_share=_rounded(votes[place]),
            dawid_skene=labels["dawid_skene"][place] if found.models else None,
            dawid_skene_posterior=_rounded(posteriors["dawid_skene"][place]) if found.models else None,
            mace=labels["mace"][place] if found.models else None,
            mace_posterior=_rounded(posteriors["mace"][place]) if found.models else None,
            undefined_because=found.undefined_because,
        )


def _rounded(value: float) -> float | None:
    return None if value != value else round(value, DIGITS)
