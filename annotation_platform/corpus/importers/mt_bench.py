"""Files of FastChat's MT-Bench: ``question.jsonl``, ``model_answer/MODEL.jsonl``, ``reference_answer/MODEL.jsonl`` and
``model_judgment/JUDGE_single.jsonl`` or ``JUDGE_pair.jsonl``.

Each turn of a question is judged: the first reply, and then the second with all before it. Which kind of file one is,
its first row tells; answers in a folder ``reference_answer`` are references.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, NamedTuple

from annotation_platform.corpus.importers.cells import finite_number, whole_number
from annotation_platform.corpus.importers.comparisons import Comparisons, Composed, beside, winner_of
from annotation_platform.corpus.importers.messages import JUDGE
from annotation_platform.corpus.importers.mistakes import STRANGE, Mistakes, RowError, reason_of, wrong_at
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import LeftOut

REFERENCES = "reference_answer"
NAMES = {"model_1": 1, "model_2": 2}
GAMES = (("g1", [1, 2]), ("g2", [2, 1]))  # a pair is judged twice, the second time the other way round


class Placed(NamedTuple):
    """A row of one of the files."""

    file: int
    row: Row

    @property
    def values(self) -> dict[str, Any]:
        return self.row.values


@dataclass
class Bench:
    """What the files hold, by question."""

    questions: dict[Any, dict[str, Any]] = field(default_factory=dict)
    answers: dict[tuple[Any, str], Placed] = field(default_factory=dict)
    references: dict[Any, list[str]] = field(default_factory=dict)
    scores: list[Placed] = field(default_factory=list)
    pairs: list[Placed] = field(default_factory=list)
    further: int = 0
    """Replies beside the first one of a model."""

    def take(self, placed: Placed, name: str) -> None:
        """
        Raises
        ------
        RowError
            When it is no row of any of the files.
        """
        values = placed.values
        if {"question_id", "choices"} <= values.keys():
            turns = _replies(values)
            if PurePath(name).parent.name == REFERENCES:
                self.references[values["question_id"]] = turns
            else:
                self.further += len(values["choices"]) - 1
                self.answers[values["question_id"], str(values["model_id"])] = placed
        elif {"question_id", "turns"} <= values.keys():
            self.questions[values["question_id"]] = values
        elif {"question_id", "model_1", "model_2", "g1_winner"} <= values.keys():
            self.pairs.append(placed)
        elif {"question_id", "model", "judge", "score"} <= values.keys():
            self.scores.append(placed)
        else:
            raise RowError("corpus.no_mt_bench")

    # --- Cells -------------------------------------------------------------------------------------------

    def about(self, question: Any, turn: int) -> dict[str, Any]:
        """What is asked, for all models alike."""
        asked = self.questions[question]
        references = self.references.get(question) or asked.get("reference") or []
        return {
            "question_id": f"{question}/{turn}",
            "question": str(asked["turns"][0]),
            "category": asked.get("category"),
            "reference_answers": [references[turn - 1]] if len(references) >= turn and references[turn - 1] else None,
        }

    def answered(self, question: Any, model: str, turn: int, *, is_whole: bool) -> dict[str, Any]:
        """A model's answer: a text, or the conversation up to it. ``is_whole``: all its replies are to judge."""
        asked = self.questions[question]["turns"]
        replies = _replies(self.answers[question, model].values)
        conversation: list[dict[str, Any]] = []
        for place, (said, reply) in enumerate(zip(asked[:turn], replies[:turn], strict=True), start=1):
            is_judged = is_whole or place == turn
            marked = {JUDGE: True} if is_whole and place > 1 else {}
            conversation.append({"role": "user", "content": said} | marked)
            conversation.append({"role": "assistant", "content": reply} | ({JUDGE: True} if is_judged else {}))
        is_text = turn == 1
        return {
            "system": model,
            "answer": replies[0] if is_text else None,
            "conversation": None if is_text else conversation,
        }

    def turns_of(self, question: Any, model: str) -> range:
        """The turns that a model has answered."""
        asked, replies = self.questions[question]["turns"], _replies(self.answers[question, model].values)
        return range(1, min(len(asked), len(replies)) + 1)


class MtBench(Comparisons):
    key = "mt_bench"
    called = "corpus.format_mt_bench"

    def _open(self, path: Any, name: str, sheet: str) -> RowFile:
        return RowFile(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        kinds = (("turns",), ("g1_winner", "model_1"), ("user_prompt", "judgment", "score"))
        return (
            suffix == ".jsonl"
            and '"question_id"' in beginning
            and any(all(f'"{name}"' in beginning for name in names) for names in kinds)
        )

    def composed(
        self, sources: Sequence[RowFile], *, is_group: bool, mistakes: Mistakes
    ) -> Iterator[Composed | LeftOut]:
        bench = Bench()
        for file, source in enumerate(sources):
            for row in source.rows(mistakes):
                try:
                    bench.take(Placed(file, row), source.name)
                except STRANGE as error:
                    strange = reason_of(error) if isinstance(error, RowError) else "corpus.no_mt_bench"
                    mistakes.add(wrong_at(source.where((row.line,)), strange))
        if bench.further:
            yield LeftOut("corpus.further_replies", number=bench.further)
        lost = [LeftOut("corpus.votes_need_groups", number=2 * len(bench.pairs))] * bool(bench.pairs)
        if is_group:
            lost = [LeftOut("corpus.scores_need_one_answer", number=len(bench.scores))] * bool(bench.scores)
        yield from lost
        if is_group and bench.pairs:
            yield from _each(bench.pairs, _pair, bench, sources, mistakes)
        else:
            answers = [*bench.answers.values()]
            yield from _each(answers, _candidate if is_group else _answer, bench, sources, mistakes)
            if not is_group:
                yield from _each(bench.scores, _score, bench, sources, mistakes)


def _each(
    placed: Sequence[Placed], compose: Any, bench: Bench, sources: Sequence[RowFile], mistakes: Mistakes
) -> Iterator[Composed | LeftOut]:
    """What rows become; one about a question or an answer that no file has is a mistake."""
    for each in placed:
        try:
            yield from list(compose(bench, each))
        except RowError as error:
            mistakes.add(wrong_at(sources[each.file].where((each.row.line,)), error.reason))
        except STRANGE as error:
            why = "corpus.bench_lacks" if isinstance(error, KeyError) else "corpus.no_mt_bench"
            mistakes.add(wrong_at(sources[each.file].where((each.row.line,)), why))


def _answer(bench: Bench, placed: Placed) -> Iterator[Composed]:
    """An answer for each turn; a later turn is the model's own question, as it has its replies in it."""
    question, model = placed.values["question_id"], str(placed.values["model_id"])
    for turn in bench.turns_of(question, model):
        yield Composed(placed.file, placed.row.line, _alone(bench, question, model, turn))


def _alone(bench: Bench, question: Any, model: str, turn: int) -> dict[str, Any]:
    cells = bench.about(question, turn) | bench.answered(question, model, turn, is_whole=False)
    return cells | ({"question_id": f"{question}/{turn}/{model}", "question": None} if turn > 1 else {})


def _candidate(bench: Bench, placed: Placed) -> Iterator[Composed]:
    question, model = placed.values["question_id"], str(placed.values["model_id"])
    for turn in bench.turns_of(question, model):
        cells = bench.about(question, turn) | bench.answered(question, model, turn, is_whole=True)
        yield Composed(placed.file, placed.row.line, cells)


def _score(bench: Bench, placed: Placed) -> Iterator[Composed | LeftOut]:
    values = placed.values
    if finite_number(values["score"], "score") < 0:  # FastChat's sign that it could not read the judge
        yield LeftOut("corpus.votes_unread", {"vote": str(values["score"])})
        return
    cells = _alone(bench, values["question_id"], str(values["model"]), _turn(values))
    judged = {"annotator": _judge(values), "score": values["score"], "judgment": values.get("judgment")}
    yield Composed(placed.file, placed.row.line, cells | judged | {"judged_at": values.get("tstamp")})


def _pair(bench: Bench, placed: Placed) -> Iterator[Composed | LeftOut]:
    """Both games of a pair, as two judgments of the judge."""
    values = placed.values
    question, turn = values["question_id"], _turn(values)
    first, second = str(values["model_1"]), str(values["model_2"])
    both = [bench.answered(question, model, turn, is_whole=True) for model in (first, second)]
    about = bench.about(question, turn) | {"question_id": f"{question}/{turn}/{' '.join(sorted((first, second)))}"}
    for replicate, (game, shown) in enumerate(GAMES):
        cells, presented = beside(both[0], both[1], shown)
        said = str(values[f"{game}_winner"])
        winner = winner_of(said, NAMES, first, second)
        if not winner:
            yield LeftOut("corpus.votes_unread", {"vote": said[:40]})
            continue
        judged = {"annotator": _judge(values), "winner": winner, "judgment": values.get(f"{game}_judgment")}
        more = {"replicate": replicate, "judged_at": values.get("tstamp")}
        yield Composed(placed.file, placed.row.line, about | cells | judged | more, presented)


def _turn(values: Mapping[str, Any]) -> int:
    return whole_number(values["turn"], "turn", least=1)


def _replies(values: Mapping[str, Any]) -> list[str]:
    return [str(turn) for turn in values["choices"][0]["turns"]]


def _judge(values: Mapping[str, Any]) -> str:
    judge = values["judge"]
    return " ".join(map(str, judge))[:60] if isinstance(judge, list) else str(judge)[:60]
