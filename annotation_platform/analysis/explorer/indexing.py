"""Writing the explorer's rows: figures of every judged item, flags, and citations of every document.

The worker does it after each snapshot, a block of items or documents at a time, each in a short transaction of its
own, so that others can write meanwhile. What died on the way is begun anew, for the study counts as explored only at
the end. Texts are looked through once: a closed batch's judgments change only when the scheme does.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from django.db.models import QuerySet

from annotation_platform.analysis.explorer import reading as reads
from annotation_platform.analysis.explorer.measure import figures_of_items, plain, seen
from annotation_platform.analysis.explorer.texts import remarks_on
from annotation_platform.analysis.measuring.judgments import measures
from annotation_platform.analysis.models import ArticleCitations, ExploredStudy, ItemFigures, ItemFlag
from annotation_platform.analysis.snapshots.late import add_late_sections
from annotation_platform.analysis.snapshots.stored import closed_batches, latest_snapshot
from annotation_platform.annotations.hints import judged_texts
from annotation_platform.core.methods.injection import suspicions
from annotation_platform.core.schemes import SentencesAspect
from annotation_platform.core.statistics.disagreement import item_set_distance
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.selectors import labelling_run
from annotation_platform.studies.models import Study

ITEMS_AT_ONCE = 1_000
DOCUMENTS_AT_ONCE = 200  # with the count of each of their sentences
Flag = ItemFlag.Flag


def index_items(*, study: Study) -> None:
    """Bring the explorer's rows up to the newest snapshot; nothing to do where they are already."""
    snapshot, judge = latest_snapshot(study), labelling_run(study)
    explored = ExploredStudy.objects.filter(study=study).first()
    if snapshot is None or (
        explored is not None and (explored.snapshot_id, explored.judge_run_id) == (snapshot.pk, judge and judge.pk)
    ):
        return
    run, scheme = snapshot.run, study.scheme_version.signature
    known = explored.read_batches if explored is not None and explored.read_scheme == scheme else []
    batches = closed_batches(study)
    write_figures(study, run, judge)
    write_citations(study)
    _write_flags(study, batches=[number for number in batches if number not in known])
    _write_unread(study, run, judge)
    add_late_sections(snapshot)
    ExploredStudy.objects.update_or_create(
        study=study,
        defaults={"snapshot": snapshot, "judge_run": judge, "read_scheme": scheme, "read_batches": batches},
    )


def write_figures(study: Study, run: ScoringRun | None, judge: ScoringRun | None) -> None:
    """The figures of every judged item, under each aspect with labels."""
    measured = measures(study)
    of_sentences = study.scheme().sentences_aspects
    for block in reads.item_blocks(study, ITEMS_AT_ONCE):
        distances = _citation_distances(block, of_sentences)
        ratings = reads.read_ratings(block, measured, run, judge)
        rows = [row for _, measure in measured for row in _figures(block, measure, *ratings[measure.key], distances)]
        in_short_transaction(partial(_store_figures, block, rows))


def _store_figures(block: reads.ItemBlock, rows: list[ItemFigures]) -> None:
    ItemFigures.objects.filter(item__in=block.items).delete()
    ItemFigures.objects.bulk_create(rows, batch_size=1_000, ignore_conflicts=True)


def _figures(
    block: reads.ItemBlock, measure: Any, ratings: Any, judge_labels: dict[int, str], distances: Any
) -> Iterator[ItemFigures]:
    found = figures_of_items(ratings, measure)
    for code in np.flatnonzero(found.judgments).tolist():
        item = block.items[code]
        raw, rescaled, cited = (plain(values[code]) for values in (found.raw, found.rescaled, distances))
        how, contrast = seen(raw, rescaled, cited)
        yield ItemFigures(
            study=block.study,
            item_id=item,
            aspect=measure.key,
            judgments=int(found.judgments[code]),
            mean=plain(found.mean[code]),
            raw_disagreement=raw,
            rescaled_disagreement=rescaled,
            citation_distance=cited,
            judge_gap=plain(found.judge_gap[code]),
            judge_label=judge_labels.get(item, ""),
            seen=how,
            contrast=contrast,
        )


def _citation_distances(block: reads.ItemBlock, aspects: Sequence[SentencesAspect]) -> Any:
    """Of each item, the mean over all that sentences are cited for; NaN where nothing can be compared."""
    sums, counts = np.zeros(len(block.items)), np.zeros(len(block.items))
    position = {item: code for code, item in enumerate(block.items)}
    for aspect in aspects:
        cited = list(reads.read_citations(block, aspect))
        units = {unit: code for code, unit in enumerate(dict.fromkeys((each.item, each.candidate) for each in cited))}
        codes = [units[each.item, each.candidate] for each in cited]
        of_units = item_set_distance(codes, [each.sentences for each in cited], len(units))
        code = np.array([position[item] for item, _ in units], dtype=np.int64)
        known = ~np.isnan(of_units)
        sums += np.bincount(code[known], of_units[known], minlength=len(sums))
        counts += np.bincount(code[known], minlength=len(sums))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def write_citations(study: Study) -> None:
    """Of every document, how often each sentence is cited, under each aspect that asks for sentences."""
    rows: list[ArticleCitations] = []
    for aspect in study.scheme().sentences_aspects:
        counts: dict[int, Counter[int]] = {}
        judgments: Counter[int] = Counter()
        lengths: dict[int, int] = {}
        for block in reads.item_blocks(study, ITEMS_AT_ONCE):
            documents = reads.documents_of(block)
            for each in reads.read_citations(block, aspect):
                for number, (article, length) in documents[each.item].items():
                    lengths[article] = length
                    judgments[article] += 1
                    counts.setdefault(article, Counter()).update(
                        sentence for document, sentence in each.sentences if document == number
                    )
        rows += [
            _citations(study, aspect.key, article, lengths[article], judgments[article], counts[article])
            for article in sorted(counts)
        ]
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


def _citations(
    study: Study, aspect: str, article: int, length: int, judgments: int, counts: Counter[int]
) -> ArticleCitations:
    return ArticleCitations(
        study=study,
        article_id=article,
        aspect=aspect,
        judgments=judgments,
        citations=counts.total(),
        cited=len(counts),
        coverage=len(counts) / length if length else None,
        counts={str(number): counts[number] for number in sorted(counts)},
    )


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
