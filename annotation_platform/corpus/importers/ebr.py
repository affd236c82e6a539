"""The released EBR annotations: JSON, one file a data set, article texts withheld by their publishers.

An article's key is unique within its file only, so it is named by data set and key. A question is named by its
key in the mapping (the ``question_id`` inside sometimes differs). The release has labels, explanations and the
raw replies of the model that read them, but neither cited sentences nor how questions were bundled into HITs.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from annotation_platform.core.schemes import InvalidJudgmentError, Scheme, build_scheme, check_judgment, preset
from annotation_platform.corpus.importers.document import Document, ImportFileError, Part
from annotation_platform.corpus.importers.identifiers import Identifier, Pseudonym
from annotation_platform.corpus.importers.study import (
    AnswerKey,
    ImportedArticle,
    ImportedJudgment,
    ImportedQuestion,
    ImportedStudy,
    RecordedReply,
)

CORRECT, COMPLETENESS, REASONS = ASPECTS = ("correct", "completeness", "reasons")
CORRECT_LABELS = {"correct": "yes", "irrelevant": "no"}
REPLYING_MODEL = "ChatGPT"  # all that the paper says about it


class ReleasedJudgment(Part):
    correct_label: Literal["correct", "irrelevant"]
    complete_label: str
    feedback: str
    ebr_raw: str | None = None
    ebr_num: float | None = None  # not stored: it is read from the reply again, by whoever scores
    workerid: Pseudonym


class ReleasedAnswer(Part):
    answer: str = Field(min_length=1)
    annotation_details: dict[str, ReleasedJudgment]


class ReleasedQuestion(Part):
    question_id: str
    question: str = Field(min_length=1)
    system: dict[Identifier, ReleasedAnswer] = Field(min_length=1)


class ReleasedArticle(Part):
    dataset: Annotated[str, Field(min_length=1, max_length=60)]
    article_num: int
    question_details: dict[Identifier, ReleasedQuestion] = Field(min_length=1)


class Release(RootModel[dict[str, ReleasedArticle]]):
    # The names of articles are made of data set and key, and have room for 200 characters.
    root: dict[Annotated[str, Field(max_length=130)], ReleasedArticle] = Field(min_length=1)


def read_release(documents: Sequence[Document], definition: Mapping[str, Any] | None) -> ImportedStudy:
    """Read files of the release as one finished study; see :data:`annotation_platform.corpus.importers.FORMATS`."""
    definition = definition or preset("ebr")
    scheme = build_scheme(dict(definition))
    if missing := set(ASPECTS) - {aspect.key for aspect in scheme.aspects}:
        raise ImportFileError(
            [f"scheme {scheme.key}: has no aspect {key!r}, which the release fills" for key in missing]
        )
    articles: dict[str, ImportedArticle] = {}
    judgments: list[ImportedJudgment] = []
    batches: dict[str, list[AnswerKey]] = {}
    reasons: list[str] = []
    for document in documents:
        for key, released in document.parse(Release).root.items():
            article = _article(key, released)
            if article.external_id in articles:
                reasons.append(f"{document.where((key,))}: the article {article.external_id!r} is there already")
                continue
            articles[article.external_id] = article
            answers = batches.setdefault(released.dataset, [])
            answers += (AnswerKey(article.external_id, q.external_id, s) for q in article.questions for s in q.answers)
            judgments += _judgments(scheme, document, key, article.external_id, released, reasons)
    if reasons:
        raise ImportFileError(reasons)
    per_answer = Counter(judgment.answer for judgment in judgments)
    overlap = Counter(per_answer.values()).most_common(1)[0][0] if per_answer else 1
    return ImportedStudy(
        language="en",
        definition=definition,
        articles=list(articles.values()),
        judgments=judgments,
        settings={"overlap": overlap, "questions_per_hit": 1},
        finished_batches=list(batches.values()),
    )


def _article(key: str, released: ReleasedArticle) -> ImportedArticle:
    return ImportedArticle(
        external_id=f"{released.dataset}-{key}",
        title="",
        source=released.dataset,
        sentences=(),
        questions=[
            ImportedQuestion(
                external_id=question_key,
                text=question.question,
                anchor=None,
                answers={system: answer.answer for system, answer in question.system.items()},
            )
            for question_key, question in released.question_details.items()
        ],
    )


def _judgments(
    scheme: Scheme, document: Document, key: str, article: str, released: ReleasedArticle, reasons: list[str]
) -> Iterator[ImportedJudgment]:
    not_asked = {aspect.key for aspect in scheme.aspects}.difference(ASPECTS)
    for question, details in released.question_details.items():
        for system, answer in details.system.items():
            judged: Counter[str] = Counter()
            for number, row in answer.annotation_details.items():
                location = (key, "question_details", question, "system", system, "annotation_details", number)
                raw = {
                    CORRECT: CORRECT_LABELS[row.correct_label],
                    COMPLETENESS: row.complete_label,
                    REASONS: row.feedback,
                }
                try:
                    values = check_judgment(scheme, raw, sentence_count=0, not_asked=not_asked)
                except InvalidJudgmentError as error:
                    reasons += _in_the_words_of_the_release(document, location, error)
                    continue
                yield ImportedJudgment(
                    answer=AnswerKey(article, question, system),
                    annotator=row.workerid,
                    values=values,
                    document=document,
                    location=location,
                    replicate=judged[row.workerid],
                    replies=() if row.ebr_raw is None else (RecordedReply(COMPLETENESS, row.ebr_raw, REPLYING_MODEL),),
                )
                judged[row.workerid] += 1


def _in_the_words_of_the_release(
    document: Document, location: tuple[str, ...], error: InvalidJudgmentError
) -> Iterator[str]:
    names = {CORRECT: "correct_label", COMPLETENESS: "complete_label", REASONS: "feedback"}
    for aspect, reason in error.errors.items():
        yield f"{document.where((*location, names[aspect]))}: {reason}"
