"""The service that stores an imported study: its corpus, its batches, its judgments and recorded replies.

It stands in this app, and in a module of its own, because recorded replies are the highest thing that an import
touches: what lies below (corpus, studies, annotations) is written by those apps' own services.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.importers import AnswerKey, ImportedJudgment, ImportedStudy, ImportFileError
from annotation_platform.corpus.models import Answer, Corpus
from annotation_platform.corpus.services import store_corpus
from annotation_platform.scoring.models import RecordedReply
from annotation_platform.studies.models import Assignment, BatchState, Item, Member, Role, Study
from annotation_platform.studies.services import (
    add_member,
    create_study,
    plan_batches,
    plan_single_answers,
    store_filled_places,
)

CHUNK = 2000
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
    batches: Mapping[BatchState, int]


@transaction.atomic
def import_study(
    *,
    imported: ImportedStudy,
    name: str,
    owner: User | None = None,
    keep_drafts: bool = False,
    dry_run: bool = False,
    progress: Progress = lambda step, done, total: None,
) -> ImportSummary:
    """Store a study that an importer has read, all of it or nothing.

    Parameters
    ----------
    owner
        Becomes an admin of the study.
    keep_drafts
        Leave batches without any judgment as drafts instead of opening them.
    dry_run
        Do everything, then take it back.
    progress
        Told of (step, done, total) as the work goes on.

    Raises
    ------
    ImportFileError
        When judgments do not fit the HITs of the study.
    InvalidInputError
        When the name is taken.
    """
    if Study.objects.filter(name=name).exists():  # before the corpus takes the name
        raise InvalidInputError(f"There is a study named “{name}” already. Choose another name.")
    transaction.on_commit(_tell_the_planner)
    progress("corpus", 0, len(imported.articles))
    corpus = store_corpus(
        name=_corpus_name(imported.corpus_name, name), language=imported.language, articles=imported.articles
    )
    study = create_study(name=name, corpus=corpus, definition=imported.definition, **imported.settings)
    if owner is not None:
        add_member(study=study, role=Role.ADMIN, user=owner)
    progress("batches", 0, 1)
    answers = _answers(corpus)
    if imported.finished_batches is None:
        plan_batches(study=study)
    else:
        plan_single_answers(study=study, batches=[[answers[key] for key in keys] for keys in imported.finished_batches])
    items = {item.answer_id: item for item in Item.objects.filter(study=study)}
    placed = [(items[answers[judgment.answer].pk], judgment) for judgment in imported.judgments]
    members = {
        pseudonym: add_member(study=study, role=Role.ANNOTATOR, pseudonym=pseudonym)
        for pseudonym in sorted({judgment.annotator for judgment in imported.judgments})
    }
    places = _fill_places(imported, study, placed, members, keep_drafts=keep_drafts)
    replies = _store_judgments(study, placed, places, progress)
    summary = ImportSummary(
        study=study,
        articles=len(imported.articles),
        answers=len(answers),
        annotators=len(members),
        judgments=len(placed),
        recorded_replies=replies,
        batches={state: study.batches.filter(state=state).count() for state in BatchState},
    )
    if dry_run:
        transaction.set_rollback(True)
    return summary


def _tell_the_planner() -> None:
    """Let PostgreSQL count its rows at once; until it does, it plans for the few that it had before."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def _corpus_name(wanted: str, study_name: str) -> str:
    """The corpus's own name; where there is none or it is taken, the study's."""
    for name in filter(None, (wanted, study_name)):
        if not Corpus.objects.filter(name=name).exists():
            return name
    raise InvalidInputError(f"There is a corpus named “{study_name}” already. Choose another name for the study.")


def _answers(corpus: Corpus) -> dict[AnswerKey, Answer]:
    answers = Answer.objects.filter(question__article__corpus=corpus).select_related("question__article", "system")
    return {
        AnswerKey(answer.question.article.external_id, answer.question.external_id, answer.system.name): answer
        for answer in answers
    }


def _fill_places(
    imported: ImportedStudy,
    study: Study,
    placed: Sequence[tuple[Item, ImportedJudgment]],
    members: Mapping[str, Member],
    *,
    keep_drafts: bool,
) -> dict[tuple[int, str, int], Assignment]:
    """The places that the annotators of the judgments filled, by HIT, annotator and replicate."""
    hits: dict[int, dict[Taker, list[ImportedJudgment]]] = {}
    for item, judgment in placed:
        takers = hits.setdefault(item.hit_id, {})
        takers.setdefault((judgment.annotator, judgment.replicate), []).append(judgment)
    if imported.finished_batches is None:
        _check_hits(study, hits)
    filled = store_filled_places(
        study=study,
        takers={
            hit: [(members[annotator], replicate) for annotator, replicate in takers] for hit, takers in hits.items()
        },
        finished=imported.finished_batches is not None,
        keep_drafts=keep_drafts,
    )
    pseudonyms = {member.pk: pseudonym for pseudonym, member in members.items()}
    return {
        (place.hit_id, pseudonyms[place.annotator_id], place.replicate): place
        for place in filled
        if place.annotator_id is not None
    }


def _check_hits(study: Study, hits: Mapping[int, Mapping[Taker, Sequence[ImportedJudgment]]]) -> None:
    """Refuse HITs that somebody judged in part, or that more people judged than the overlap allows."""
    shown: dict[int, list[AnswerKey]] = {}
    items = Item.objects.filter(study=study, hit__in=hits).select_related("answer__question__article", "answer__system")
    for item in items:
        question = item.answer.question
        key = AnswerKey(question.article.external_id, question.external_id, item.answer.system.name)
        shown.setdefault(item.hit_id, []).append(key)
    reasons = []
    for hit, takers in hits.items():
        for (annotator, _), judgments in takers.items():
            judged = {judgment.answer for judgment in judgments}
            if missing := [key for key in shown[hit] if key not in judged]:
                reasons.append(
                    f"{judgments[0].where}: {annotator!r} judged {len(judged)} of the {len(shown[hit])} answers of a "
                    f"HIT; missing: {_listed(missing)}. Judgments come by whole HITs: add these, or leave out the "
                    f"others (the study's questions_per_hit is {study.questions_per_hit})"
                )
        if len(takers) > study.overlap:
            last = list(takers.values())[study.overlap][0]
            reasons.append(
                f"{last.where}: {len(takers)} annotators judged this HIT; the study's overlap is {study.overlap}"
            )
    if reasons:
        raise ImportFileError(reasons)


def _listed(keys: Sequence[AnswerKey]) -> str:
    return ", ".join(f"{key.question} by {key.system}" for key in keys)


def _store_judgments(
    study: Study,
    placed: Sequence[tuple[Item, ImportedJudgment]],
    places: Mapping[tuple[int, str, int], Assignment],
    progress: Progress,
) -> int:
    now = timezone.now()
    scheme = study.scheme()
    replies = 0
    for done in range(0, len(placed), CHUNK):
        progress("judgments", done, len(placed))
        chunk = placed[done : done + CHUNK]
        annotations = store_judgments(
            scheme=scheme,
            annotations=[
                Annotation(
                    assignment_id=place.pk,
                    item_id=item.pk,
                    annotator=place.annotator,
                    values=dict(judgment.values),
                    seconds=judgment.seconds,
                    created_at=now,
                )
                for item, judgment in chunk
                for place in [places[item.hit_id, judgment.annotator, judgment.replicate]]
            ],
        )
        recorded = [
            RecordedReply(annotation_id=annotation.pk, aspect=reply.aspect, reply=reply.reply, model=reply.model)
            for annotation, (_, judgment) in zip(annotations, chunk, strict=True)
            for reply in judgment.replies
        ]
        RecordedReply.objects.bulk_create(recorded, batch_size=CHUNK)
        replies += len(recorded)
    progress("judgments", len(placed), len(placed))
    return replies
