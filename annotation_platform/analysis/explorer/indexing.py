"""Writing the explorer's rows: figures of every judged item, flags, and citations of every document.

The worker does it after each snapshot, a block of items or documents at a time, each in a short transaction of its
own, so that others can write meanwhile. What died on the way is begun anew, for the study counts as explored only at
the end. Texts are looked through once: a closed batch's judgments change only when the scheme does, when it is opened
again, or when work in it is set aside or counts again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from django.db.models import QuerySet

from annotation_platform.analysis.explorer import reading as reads
from annotation_platform.analysis.explorer.citations import CitedDocuments
from annotation_platform.analysis.explorer.measure import figures_of_items, plain, seen
from annotation_platform.analysis.explorer.texts import remarks_on
from annotation_platform.analysis.measuring.judgments import measures
from annotation_platform.analysis.models import ArticleCitations, ExploredStudy, ItemFigures, ItemFlag
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.stored import closed_batches, finished_batches, latest_snapshot
from annotation_platform.annotations.hints import judged_texts
from annotation_platform.core.methods.injection import suspicions
from annotation_platform.core.statistics.disagreement import item_member_distance
from annotation_platform.corpus.columns import insert_columns
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.selectors import labelling_run
from annotation_platform.studies.models import FINISHED_STATES, Study

ITEMS_AT_ONCE = 1_000
DOCUMENTS_AT_ONCE = 200  # with the count of each of their sentences
Flag = ItemFlag.Flag


def index_items(*, study: Study) -> None:
    """Bring the explorer's rows up to the newest snapshot; nothing to do where they are already."""
    snapshot, judge = latest_snapshot(study), labelling_run(study)
    explored = ExploredStudy.objects.filter(study=study).select_related("snapshot").first()
    if snapshot is None or (
        explored is not None and (explored.snapshot_id, explored.judge_run_id) == (snapshot.pk, judge and judge.pk)
    ):
        return
    run, scheme = snapshot.run, study.scheme_version.signature
    known = _read_already(study, explored) if explored is not None and explored.read_scheme == scheme else set()
    batches = closed_batches(study)
    in_short_transaction(partial(_forget_open, study))
    write_citations(study, write_figures(study, run, judge))
    _write_flags(study, batches=[number for number in batches if number not in known])
    _write_unread(study, run, judge)
    add_late_sections(snapshot)
    ExploredStudy.objects.update_or_create(
        study=study,
        defaults={"snapshot": snapshot, "judge_run": judge, "read_scheme": scheme, "read_batches": batches},
    )


def _read_already(study: Study, explored: ExploredStudy) -> set[int]:
    """The batches whose texts were looked through, and of which no judgment has changed since: which was not opened
    again, and whose work was not set aside."""
    since = explored.snapshot.measured_at
    found = (each for each in finished_batches(study) if each.number in explored.read_batches)
    return {each.number for each in found if all(at < since for at in each.changed_at)}


def _forget_open(study: Study) -> None:
    """Remove what is known of items whose batches were opened again: it may change until they close."""
    for rows in (ItemFigures, ItemFlag):
        rows.objects.filter(study=study).exclude(item__hit__batch__state__in=FINISHED_STATES).delete()


def write_figures(study: Study, run: ScoringRun | None, judge: ScoringRun | None) -> CitedDocuments:
    """The figures of every judged item, under each aspect with labels; what is cited was read for them, too."""
    measured, cited = measures(study), CitedDocuments(study)
    for block in reads.item_blocks(study, ITEMS_AT_ONCE):
        citations = cited.read(block)
        distances = _citation_distances(block, citations)
        ratings = reads.read_ratings(block, measured, run, judge)
        rows = [row for _, measure in measured for row in _figures(block, measure, *ratings[measure.key], distances)]
        in_short_transaction(partial(_store_figures, block, rows))
    return cited


FIGURES = (
    *("study", "item", "aspect", "judgments", "mean", "raw_disagreement", "rescaled_disagreement"),
    *("judge_gap", "judge_label", "seen", "contrast"),
)


def _store_figures(block: reads.ItemBlock, rows: list[tuple[Any, ...]]) -> None:
    ItemFigures.objects.filter(item__in=block.items).delete()
    insert_columns(ItemFigures, FIGURES, rows, may_be_there=True)


def _figures(
    block: reads.ItemBlock, measure: Any, ratings: Any, judge_labels: dict[int, str], distances: Any
) -> Iterator[tuple[Any, ...]]:
    """The values of `FIGURES` for each item."""
    found = figures_of_items(ratings, measure)
    columns = map(plain, (found.mean, found.raw, found.rescaled, distances, found.judge_gap))
    for item, judgments, mean, raw, rescaled, cited, gap in zip(
        block.items, found.judgments.tolist(), *columns, strict=True
    ):
        if judgments:
            label = judge_labels.get(item, "")
            known = (block.study.pk, item, measure.key, judgments, mean, raw, rescaled, gap, label)
            yield *known, *seen(raw, rescaled, cited)


def _citation_distances(block: reads.ItemBlock, citations: Iterable[reads.Citations]) -> Any:
    """Of each item, the mean over all that sentences are cited for; NaN where nothing can be compared."""
    sums, counts = np.zeros(len(block.items)), np.zeros(len(block.items))
    for cited in citations:
        width = int(cited.candidates.max(initial=0)) + 1
        units, codes = np.unique(cited.items * width + cited.candidates, return_inverse=True)
        members = cited.documents * (int(cited.sentences.max(initial=0)) + 1) + cited.sentences
        of_units = item_member_distance(codes, cited.owners, members, len(units))
        code = np.searchsorted(block.items, units // width)  # items are in ascending order
        known = ~np.isnan(of_units)
        sums += np.bincount(code[known], of_units[known], minlength=len(sums))
        counts += np.bincount(code[known], minlength=len(sums))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def write_citations(study: Study, cited: CitedDocuments | None = None) -> None:
    """Of every document, how often each sentence is cited, under each aspect that asks for sentences."""
    if cited is None:
        cited = CitedDocuments(study)
        for block in reads.item_blocks(study, ITEMS_AT_ONCE):
            cited.read(block)
    rows = list(cited.rows())
    for start in range(0, len(rows), DOCUMENTS_AT_ONCE):
        in_short_transaction(partial(_store_citations, rows[start : start + DOCUMENTS_AT_ONCE]))
    in_short_transaction(partial(_forget_citations, study, {(row.aspect, row.article_id) for row in rows}))


def _store_citations(rows: list[ArticleCitations]) -> None:
    ArticleCitations.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["study", "article", "aspect"],
        update_fields=["judgments", "citations", "cited", "coverage", "counts"],
    )


def _forget_citations(study: Study, cited: set[tuple[str, int]]) -> None:
    """Remove the rows of documents that nobody cites any more."""
    known = ArticleCitations.objects.filter(study=study).values_list("pk", "aspect", "article")
    ArticleCitations.objects.filter(pk__in=[pk for pk, *document in known if tuple(document) not in cited]).delete()


def _write_flags(study: Study, *, batches: list[int]) -> None:
    """Look through the texts of these batches."""
    scheme = study.scheme()
    for block in reads.item_blocks(study, ITEMS_AT_ONCE, batches=batches):
        found: dict[str, Counter[int]] = {Flag.VACUOUS: Counter(), Flag.SUSPICIOUS: Counter()}
        materials = {each.id: each for each in judged_texts(block.rows, scheme)}
        for item, material in materials.items():
            judged = (text for each in material.answers for text in (each.text, each.rationale))
            found[Flag.SUSPICIOUS][item] += sum(bool(suspicions(text)) for text in judged)
        for item, values in reads.read_values(block):
            if item not in materials:
                continue
            remarks = remarks_on(scheme, materials[item], values)
            found[Flag.VACUOUS][item] += len(remarks.vacuous)
            found[Flag.SUSPICIOUS][item] += len(remarks.suspicious)
        old = ItemFlag.objects.filter(item__in=block.items, flag__in=list(found))
        in_short_transaction(partial(_replace_flags, study, old, found))


def _write_unread(study: Study, run: ScoringRun | None, judge: ScoringRun | None) -> None:
    counts = reads.unread_replies(study, run, judge)
    old = ItemFlag.objects.filter(study=study, flag=Flag.UNREAD)
    in_short_transaction(partial(_replace_flags, study, old, {Flag.UNREAD: Counter(counts)}))


def _replace_flags(study: Study, old: QuerySet[ItemFlag], found: dict[str, Counter[int]]) -> None:
    old.delete()
    rows = [
        ItemFlag(study=study, item_id=item, flag=flag, count=count)
        for flag, counts in found.items()
        for item, count in sorted(counts.items())
        if count
    ]
    ItemFlag.objects.bulk_create(rows, batch_size=1_000, ignore_conflicts=True)
