"""The service that stores an imported study: its corpus, its batches, its judgments and recorded replies.

What lies below (corpus, studies, annotations) is written by those apps' own services.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import itemgetter

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Scheme, renumber_candidates
from annotation_platform.corpus.importers import ImportedStudy, StagedItem, StagedJudgment
from annotation_platform.corpus.importers.consistency import check_hits
from annotation_platform.corpus.importers.warnings import warnings_of
from annotation_platform.corpus.models import Answer, Corpus, Question
from annotation_platform.corpus.services import begin_corpus, fill_corpus
from annotation_platform.imports.sql import update_planner_statistics
from annotation_platform.jobs.key_blocks import key_blocks
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.scoring.models import RecordedReply
from annotation_platform.studies.arrivals import Arrival, arriving, free_names
from annotation_platform.studies.models import Batch, BatchState, Candidate, Member, Role, Study
from annotation_platform.studies.services import (
    add_member,
    create_study,
    launch_imported,
    plan_batches,
    plan_single_items,
    store_filled_places,
)

CHUNK = 2_000
JUDGMENTS_AT_ONCE = 500  # in one transaction, which keeps SQLite's other writers waiting
Progress = Callable[[str, int, int], None]
Taker = tuple[str, int]  # annotator and replicate


@dataclass(frozen=True)
class ImportSummary:
    """What an import stored (or, in a dry run, would have stored)."""

    study: Study
    articles: int
    answers: int
    annotators: int
    judgments: int
    recorded_replies: int
    batches: Mapping[str, int]
    left_out: Mapping[Reason, int]
    warnings: Sequence[Reason]


def import_study(
    *,
    imported: ImportedStudy,
    name: str,
    owner: User | None = None,
    keep_drafts: bool = False,
    sizes: Mapping[str, int] | None = None,
    dry_run: bool = False,
    progress: Progress = lambda step, done, total: None,
    and_then: Callable[[Study], None] = lambda study: None,
    actor: Actor,
) -> ImportSummary:
    """Store a study that an importer has read, all of it or nothing.

    It is stored piece by piece, so that others can write meanwhile, and hidden until the last piece is there.

    Parameters
    ----------
    owner
        Becomes an admin of the study.
    keep_drafts
        Leave batches without any judgment as drafts instead of opening them.
    sizes
        ``overlap`` and ``hits_per_batch``, where they are not to be what the file says.
    dry_run
        Do everything, then take it back.
    progress
        Told of (step, done, total) as the work goes on.
    and_then
        Called in the transaction that makes the study visible; not in a dry run.

    Raises
    ------
    ImportFileError
        When judgments do not fit the HITs of the study.
    InvalidInputError
        When the name is taken.
    DatabaseBusyError
        When others write all the time.
    """
    free_names(study=name, corpus=name)
    if Study.objects.filter(name=name).exists():  # before the corpus takes the name
        raise InvalidInputError("studies.name_taken", name=name)
    with arriving() as arrival:
        sizes = dict(sizes or {})
        study = _begin(arrival, imported, name, owner, sizes, progress)
        finished = _plan(arrival, study, imported, sizes.get("hits_per_batch"), progress)
        members = arrival.write(partial(_add_members, study, imported, owner, actor))
        replies = _store_judgments(arrival, study, imported, members, progress)
        batches: dict[str, int] = {}

        def appear() -> None:
            batches.update(batches_of(study))
            if dry_run:
                transaction.set_rollback(True)
                return
            transaction.on_commit(update_planner_statistics)
            arrival.end(actor=actor)
            and_then(study)

        launch_imported(study=study, finished=finished, keep_drafts=keep_drafts, write=arrival.write, and_then=appear)
    counts = imported.counts
    return ImportSummary(
        study=study,
        articles=counts.articles,
        answers=counts.answers,
        annotators=counts.annotators,
        judgments=counts.judgments,
        recorded_replies=replies,
        batches=batches,
        left_out=counts.left_out,
        warnings=warnings_of(imported),
    )


def import_corpus(
    *,
    imported: ImportedStudy,
    name: str,
    owner: User | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
    and_then: Callable[[Corpus], None] = lambda corpus: None,
    actor: Actor,
) -> None:
    """The same for a corpus alone."""
    free_names(corpus=name)
    with arriving() as arrival:
        corpus = arrival.corpus = begin_corpus(name=name, language=imported.header.language, owner=owner)
        fill_corpus(corpus=corpus, imported=imported, write=arrival.write, progress=progress)

        def appear() -> None:
            arrival.end(actor=actor)
            and_then(corpus)

        if not dry_run:
            arrival.write(appear)


def _begin(
    arrival: Arrival,
    imported: ImportedStudy,
    name: str,
    owner: User | None,
    sizes: Mapping[str, int],
    progress: Progress,
) -> Study:
    """The study's corpus with all its texts, and the study itself without a batch."""
    header = imported.header
    corpus_name = _corpus_name(header.corpus_name, name)
    corpus = arrival.corpus = in_short_transaction(
        lambda: begin_corpus(name=corpus_name, language=header.language, owner=owner)
    )
    fill_corpus(
        corpus=corpus,
        imported=imported,
        write=arrival.write,
        progress=lambda done, total: progress("questions", done, total),
    )
    overlap = imported.usual_overlap or imported.scheme.judgments_per_item
    settings = {"overlap": overlap, **header.settings, **sizes}
    study: Study = arrival.write(
        lambda: create_study(
            name=name, corpus=corpus, definition=header.definition, arriving_at=timezone.now(), **settings
        )
    )
    arrival.study = study
    return study


def _plan(
    arrival: Arrival, study: Study, imported: ImportedStudy, batch_size: int | None, progress: Progress
) -> list[Batch]:
    """Cut the study into batches; return those that nobody will judge any more."""
    progress("batches", 0, 1)
    finished = plan_single_items(
        study=study,
        batches=((_answers(item) for item in batch) for batch in imported.finished_batches(batch_size)),
        write=arrival.write,
    )
    if (
        Answer.objects.filter(question__article__corpus=study.corpus)
        .exclude(candidacies__in=study.candidates.all())
        .exists()
    ):
        plan_batches(study=study, write=arrival.write)
    _note_places(study, imported)
    if not finished:  # what is finished may have any number of judgments
        check_hits(imported, overlap=study.overlap, questions_per_hit=study.questions_per_hit)
    return finished


def _add_members(study: Study, imported: ImportedStudy, owner: User | None, actor: Actor) -> dict[str, Member]:
    if owner is not None:
        add_member(study=study, role=Role.ADMIN, user=owner, actor=actor)
    return {
        pseudonym: add_member(study=study, role=Role.ANNOTATOR, pseudonym=pseudonym, actor=actor)
        for pseudonym in imported.annotators()
    }


def batches_of(study: Study) -> dict[str, int]:
    """How many batches of a study are in which state."""
    counts = Counter(study.batches.values_list("state", flat=True))
    return {state.value: counts[state] for state in BatchState}


def _corpus_name(wanted: str, study_name: str) -> str:
    """The corpus's own name; where there is none or it is taken, the study's."""
    for name in filter(None, (wanted, study_name)):
        if not Corpus.every.filter(name=name).exists():
            return name
    raise InvalidInputError("imports.corpus_name_taken", name=study_name)


def _answers(item: StagedItem) -> list[Answer]:
    """The stored answers of an item, known by their keys."""
    question = Question(pk=item.question_pk, article_id=item.article_pk)
    return [Answer(pk=pk, question=question, system_id=pk) for pk in item.answers]


def _note_places(study: Study, imported: ImportedStudy) -> None:
    """Tell what was read where its answers are judged."""
    candidates = Candidate.objects.filter(study=study)
    places = candidates.values_list("item_id", "item__hit_id", "number", "answer_id", "pk")
    for rows in key_blocks(places, itemgetter(-1), size=CHUNK):
        imported.note_places(row[:4] for row in rows)


def _store_judgments(
    arrival: Arrival, study: Study, imported: ImportedStudy, members: Mapping[str, Member], progress: Progress
) -> int:
    """Store the judgments some HITs at a time; return how many recorded replies came with them."""
    done = 0
    replies: int = 0
    waiting: dict[int, list[StagedJudgment]] = {}
    for hit, judgments in groupby(imported.judgments(), key=lambda judgment: judgment.hit):
        waiting[hit] = list(judgments)
        if (count := sum(map(len, waiting.values()))) >= JUDGMENTS_AT_ONCE:
            progress("judgments", done, imported.counts.judgments)
            replies += arrival.write(partial(_store_hits_judged, study, waiting, members))
            done += count
            waiting = {}
    replies += arrival.write(partial(_store_hits_judged, study, waiting, members))
    progress("judgments", imported.counts.judgments, imported.counts.judgments)
    return replies


def _store_hits_judged(study: Study, hits: Mapping[int, list[StagedJudgment]], members: Mapping[str, Member]) -> int:
    now = timezone.now()
    scheme = study.scheme()
    takers: dict[int, dict[Taker, None]] = {
        hit: dict.fromkeys((judgment.annotator, judgment.replicate) for judgment in judgments)
        for hit, judgments in hits.items()
    }
    finished = {hit: _finished_at(judgments) for hit, judgments in hits.items()}
    filled = {
        hit: [(members[name], replicate, finished[hit][name, replicate]) for name, replicate in taken]
        for hit, taken in takers.items()
    }
    places = iter(store_filled_places(takers=filled))
    place = {(hit, *taker): next(places) for hit, taken in takers.items() for taker in taken}
    judged = [judgment for judgments in hits.values() for judgment in judgments]
    annotations = store_judgments(
        scheme=scheme,
        judgments=[
            (
                Annotation(
                    assignment=place[judgment.hit, judgment.annotator, judgment.replicate],
                    item_id=judgment.item,
                    annotator=members[judgment.annotator],
                    scheme_version_id=study.scheme_version_id,
                    values=renumber_candidates(scheme, judgment.values, judgment.numbers),
                    presented=judgment.presented,
                    under_earlier_rule=_broken(scheme, judgment),
                    seconds=judgment.seconds,
                    created_at=judgment.judged_at or now,
                ),
                judgment.shape,
            )
            for judgment in judged
        ],
    )
    recorded = [
        RecordedReply(annotation_id=annotation.pk, aspect=reply.aspect, reply=reply.reply, model=reply.model)
        for annotation, judgment in zip(annotations, judged, strict=True)
        for reply in judgment.replies
    ]
    RecordedReply.objects.bulk_create(recorded, batch_size=CHUNK)
    return len(recorded)


def _broken(scheme: Scheme, judgment: StagedJudgment) -> list[str]:
    """The keys of values that the scheme would not accept today, with candidates numbered as they are stored."""
    broken = {key: judgment.values[key] for key in judgment.broken}
    return sorted(renumber_candidates(scheme, broken, judgment.numbers))


def _finished_at(judgments: Sequence[StagedJudgment]) -> dict[Taker, datetime | None]:
    """When each taker of a HIT was done; None where the time of any of their judgments is not known."""
    times: dict[Taker, list[datetime | None]] = defaultdict(list)
    for judgment in judgments:
        times[judgment.annotator, judgment.replicate].append(judgment.judged_at)
    return {taker: None if None in given else max(filter(None, given)) for taker, given in times.items()}
