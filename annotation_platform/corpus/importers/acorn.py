"""ACORN: explanations of answers to multiple-choice questions, rated by several workers (JSON Lines).

A row has ``question``, ``choices``, ``label`` (the right choice: index from 0, letter or text), ``explanation`` and
``worker_ratings`` (worker → aspect → rating); ``id`` and ``e_source`` where they are there. Majority votes (the aspects
as columns, or ``voted_ratings``) are not taken: the platform votes itself. Ratings may be written as words or as the
numbers of the paper's appendix: −1 is none or not applicable, a choice's index counts from 0.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Aspect, ItemChoiceAspect, RatedAspect
from annotation_platform.corpus.importers.columns import suggested
from annotation_platform.corpus.importers.format import Field, Options
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.row_reader import RowReader
from annotation_platform.corpus.importers.rows import Row
from annotation_platform.corpus.importers.spelling import list_of, number_of
from annotation_platform.corpus.importers.study import Entry, LeftOut, Origin
from annotation_platform.corpus.importers.table import Table

RATINGS = "worker_ratings"
NEITHER = -1  # the paper's number for none, and for not applicable


class Acorn(Table):
    key = "acorn"
    called = "corpus.format_acorn"
    preset = "acorn"
    row_is_question = True
    aliases: ClassVar[Mapping[str, str]] = {
        "id": "question_id",
        "explanation": "rationale",
        "e_source": "system",
        "source": "system",
        "label": "label",
    }

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix in (".jsonl", ".json", ".ndjson") and f'"{RATINGS}"' in beginning

    def fields(self, options: Options) -> list[Field]:
        return [
            Field("question", Reason("corpus.field_question"), is_needed=True),
            Field("choices", Reason("corpus.field_choices"), is_needed=True),
            Field("rationale", Reason("corpus.field_explanation"), is_needed=True),
            Field("label", Reason("corpus.field_right_choice")),
            Field("question_id", Reason("corpus.field_row_name")),
            Field("system", Reason("corpus.field_explained_by")),
            Field(RATINGS, Reason("corpus.field_worker_ratings")),
        ]

    def reading(self, scheme: Any, options: Options, mapping: Mapping[str, str], mistakes: Any) -> "_RowReader":
        return _RowReader(scheme, options.language, mapping, mistakes, row_is_question=True)

    def entries(self, reading: RowReader, origin: Origin, row: Row) -> Iterator[Entry]:
        said = reading.said(row.values)
        item = reading.item(said, origin)
        yield from item.entries
        assert isinstance(reading, _RowReader)
        choices = [str(each) for each in list_of(said["choices"])] if "choices" in said else []
        ratings = said.get(RATINGS, {})
        if not isinstance(ratings, dict):
            raise RowError("corpus.ratings_no_object", field=RATINGS)
        for worker, rated in ratings.items():
            if not rated:
                yield LeftOut("corpus.workers_without_rating")
                continue
            if not isinstance(rated, dict):
                raise RowError("corpus.ratings_of_worker_no_object", field=RATINGS, worker=worker)
            values = reading.values(rated, choices)
            at = origin.inside(RATINGS, str(worker))
            yield from reading.judgment(item, values, at, annotator=str(worker))


class _RowReader(RowReader):
    """Ratings are in one column, under names of their own, so every aspect may be there."""

    tells_annotators = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._aspects = {aspect.key: aspect.key for aspect in self.scheme.aspects}
        self._rated: dict[str, str] = {}

    @property
    def not_asked(self) -> frozenset[str]:
        return frozenset()

    @property
    def names(self) -> dict[str, str]:
        return {}

    def values(self, rated: Mapping[str, Any], choices: list[str]) -> dict[str, Any]:
        """Aspect → rating, from the names and numbers of the file."""
        values = {}
        for name, rating in rated.items():
            if name not in self._rated:
                self._rated[name] = suggested(name, self._aspects, {})
            if not (key := self._rated[name]):
                known = ", ".join(self._aspects)
                raise RowError("corpus.ratings_without_aspect", field=RATINGS, name=name, known=known)
            if rating is not None:
                values[key] = _rating(self.scheme.aspect(key), rating, choices)
        return values

    def _answer(self, said: Mapping[str, Any]) -> str:
        """The text of the choice that the label names."""
        choices = self._choices(said)
        if "label" not in said:
            return ""
        label = said["label"]
        if isinstance(label, str) and label.strip() in choices:
            return label.strip()
        number = number_of(label)
        place = int(number) if number is not None else ord(str(label).lower()[:1]) - ord("a")
        if not 0 <= place < len(choices):
            raise RowError("corpus.label_no_choice", label=str(label)[:40], count=len(choices))
        return choices[place]


def _rating(aspect: Aspect, rating: Any, choices: list[str]) -> Any:
    """A rating in the numbers of the paper's appendix as what it stands for; anything else as it is."""
    number = None if isinstance(rating, bool) else number_of(rating)
    if number is None:
        return rating
    if isinstance(aspect, ItemChoiceAspect) and str(rating) not in choices:
        return "none" if number == NEITHER else chr(ord("a") + int(number)) if 0 <= number < 26 else rating
    if isinstance(aspect, RatedAspect) and number == NEITHER:
        outside = [choice.key for choice in aspect.scale.choices if choice.number is None]
        return outside[0] if outside else rating
    return rating
