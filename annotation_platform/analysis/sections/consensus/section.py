"""Consensus labels of every aspect, and which items are the least certain."""

from collections.abc import Iterator
from typing import Any

from django.utils.text import Truncator

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection
from annotation_platform.analysis.sections.consensus.figures import Consensus, ConsensusOfAspect, UncertainItem
from annotation_platform.analysis.sections.consensus.measure import consensus, least_certain, ways_of
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.arrays import Codes
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.three_ways import ThreeWays

MOST_UNCERTAIN = 20
MOST_CHARACTERS = 120  # of a question


def read(given: SnapshotInput) -> tuple[SnapshotInput, Any]:
    """People's judgments are read already, and known by their digests."""
    return given, None


def measure(read: SnapshotInput, bootstrap: Bootstrap) -> Consensus:
    return Consensus(aspects={key: _of_aspect(measured) for key, measured in read.aspects.items()})


def _of_aspect(measured: AspectData) -> ConsensusOfAspect:
    found = ways_of(measured.table)
    items = least_certain(found, MOST_UNCERTAIN)
    return consensus(measured, found).model_copy(update={"uncertain": tuple(_named(measured, found, items))})


def _named(measured: AspectData, found: ThreeWays, items: Codes) -> Iterator[UncertainItem]:
    """These items by what their judgments are about."""
    table, keys = measured.table, [label.key for label in measured.spec.labels]
    assert table.annotations is not None
    judgments = [int(table.annotations[(table.items == item).argmax()]) for item in items]
    known = Annotation.objects.filter(pk__in=judgments).values_list(
        *("pk", "item_id", "item__question__article__external_id"),
        *("item__question__external_id", "item__question__text"),
    )
    about = {pk: rest for pk, *rest in known}
    for item, judgment in zip(items.tolist(), judgments, strict=True):
        pk, article, question, text = about[judgment]
        labels = {
            way: None if label[item] != label[item] else keys[int(label[item])] for way, label in found.labels.items()
        }
        posteriors = {f"{way}_posterior": float(posterior[item]) for way, posterior in found.posteriors.items()}
        yield UncertainItem(
            item=pk,
            article=article,
            question=question,
            text=Truncator(text).chars(MOST_CHARACTERS),
            system=table.systems[table.system_of_item[item]],
            **labels,
            **posteriors,
        )


STUDY_SECTIONS = {"consensus": StudySection(read, measure)}
