"""The released EBR annotations: JSON, one file a data set, article texts withheld by their publishers.

An article's key is unique within its file only, so it is named by data set and key. A question is named by its
key in the mapping (the ``question_id`` inside sometimes differs). The release has labels, explanations and the
raw replies of the model that read them, but neither cited sentences nor how questions were bundled into HITs.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, RootModel

from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.document import Document, Part
from annotation_platform.corpus.importers.format import PREVIEWED, Format, Options, Preview
from annotation_platform.corpus.importers.identifiers import Identifier, Pseudonym
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, wrong_at
from annotation_platform.corpus.importers.study import (
    Entry,
    Finished,
    Header,
    ImportedAnswer,
    ImportedArticle,
    ImportedJudgment,
    ImportedQuestion,
    Origin,
    RecordedReply,
)

REPLYING_MODEL = "ChatGPT"  # all that the paper says about it
_TAKEN = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
REPLY_ABOUT: str = _TAKEN.pop("ebr_raw")["aspect"]
FAMILIES: dict[str, str] = {system: family for family, those in _TAKEN.pop("families").items() for system in those}
ASPECTS: dict[str, str] = {field: taken["aspect"] for field, taken in _TAKEN.items()}
LABELS: dict[str, dict[str, str]] = {field: taken.get("labels", {}) for field, taken in _TAKEN.items()}


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


class EbrRelease(Format):
    """Files of the release, as one finished study: each data set is a batch."""

    key = "ebr"
    called = "corpus.format_ebr"
    preset = "ebr"

    def _open(self, path: Path, name: str, sheet: str) -> Document:
        return Document.read(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix == ".json" and '"question_details"' in beginning

    def preview(self, sources: Sequence[Document], options: Options) -> Preview:
        answers = (
            (f"{article.dataset}-{key}", question.question, system, answer.answer, str(len(answer.annotation_details)))
            for key, article in sources[0].parse(Release).root.items()
            for question in article.question_details.values()
            for system, answer in question.system.items()
        )
        return Preview(("article", "question", "system", "answer", "judgments"), list(islice(answers, PREVIEWED)))

    def begin(
        self, sources: Sequence[Document], options: Options, mistakes: Mistakes
    ) -> tuple[Header, Iterator[Entry]]:
        definition = self.definition(options)
        scheme = self.scheme(options)
        aspects = {aspect.key for aspect in scheme.aspects}
        if missing := set(ASPECTS.values()) - aspects:
            where = Reason("corpus.the_scheme", key=scheme.key)
            raise ImportFileError(
                [wrong_at(where, "corpus.scheme_without_filled_aspect", key=key) for key in sorted(missing)]
            )
        releases = [document.parse(Release) for document in sources]
        header = Header(
            language="en",
            definition=definition,
            settings={"questions_per_hit": 1},
            not_asked=frozenset(aspects.difference(ASPECTS.values())),
            finished=Finished.ALL,
            names={aspect: field for field, aspect in ASPECTS.items()},
            families=FAMILIES,
        )
        entries = (entry for file, release in enumerate(releases) for entry in _entries(file, release))
        return header, entries


def _entries(file: int, release: Release) -> Iterator[Entry]:
    for key, article in release.root.items():
        name = f"{article.dataset}-{key}"
        at = Origin(file, (key,))
        yield ImportedArticle(name, at, source=article.dataset)
        for question_key, question in article.question_details.items():
            inside = at.inside("question_details", question_key)
            yield ImportedQuestion(name, question_key, inside, text=question.question)
            for system, answer in question.system.items():
                yield ImportedAnswer(name, question_key, system, inside.inside("system", system), text=answer.answer)
                yield from _judgments(name, question_key, system, answer, inside.inside("system", system))


def _judgments(
    article: str, question: str, system: str, answer: ReleasedAnswer, at: Origin
) -> Iterator[ImportedJudgment]:
    judged: Counter[str] = Counter()
    for number, row in answer.annotation_details.items():
        said = {field: getattr(row, field) for field in ASPECTS}
        values = {ASPECTS[field]: LABELS[field].get(value, value) for field, value in said.items()}
        yield ImportedJudgment(
            *(article, question, system, row.workerid, values, at.inside("annotation_details", number)),
            replicate=judged[row.workerid],
            replies=() if row.ebr_raw is None else (RecordedReply(REPLY_ABOUT, row.ebr_raw, REPLYING_MODEL),),
        )
        judged[row.workerid] += 1
