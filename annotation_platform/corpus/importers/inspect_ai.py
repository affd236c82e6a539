"""Logs of Inspect AI: ``.eval`` (an archive with a file for each sample) and ``.json``.

A sample is a question, its ``id`` within the task; its answer is what the model said last. The model is the system, and
of several epochs each is a system of its own. Texts that the log keeps as attachments are put back.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from annotation_platform.corpus.importers.cells import whole_number
from annotation_platform.corpus.importers.conversations import Exchange, exchange_of, marked
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError, in_json_words, wrong_at
from annotation_platform.corpus.importers.outputs import Output, OutputFile, Outputs
from annotation_platform.corpus.importers.packed import Archive, is_archive
from annotation_platform.corpus.importers.study import LeftOut

SAMPLES = "samples/"
ATTACHMENT = "attachment://"
WHOLE = 500_000_000  # bytes of a JSON log, which is read as a whole


@dataclass(frozen=True)
class InspectLog(OutputFile):
    """A log.

    Raises
    ------
    ImportFileError
        When it is none, or is broken.
    """

    def __post_init__(self) -> None:
        if not is_archive(self.path):
            check_encoding(self.path, self.name)
            if (size := self.path.stat().st_size) > WHOLE:
                raise ImportFileError([wrong_at(self.name, "corpus.log_too_large", size=size / 1e6, most=WHOLE / 1e6)])
        if not isinstance(self.about, dict) or not isinstance(self.about.get("model"), str):
            raise ImportFileError([wrong_at(self.name, "corpus.no_inspect_log")])

    @cached_property
    def about(self) -> Any:
        """The log's ``eval``: task, model and settings."""
        if is_archive(self.path):
            with Archive(self.path, self.name) as archive:
                names = archive.names
                first = next((each for each in ("header.json", "_journal/start.json") if each in names), "")
                header = archive.json(first) if first else None
                return header.get("eval") if isinstance(header, dict) else None
        return self._whole.get("eval")

    @cached_property
    def _whole(self) -> Mapping[str, Any]:
        try:
            log = json.loads(self.path.read_text(encoding="utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ImportFileError([wrong_at(self.name, "corpus.json_unread", why=in_json_words(error))]) from None
        return log if isinstance(log, dict) else {}

    def outputs(self, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
        if not is_archive(self.path):
            samples = self._whole.get("samples") or []
            if not isinstance(samples, list):
                raise ImportFileError([wrong_at(self.name, "corpus.no_inspect_log")])
            yield from enumerate(samples, start=1)
            return
        with Archive(self.path, self.name) as archive:
            names = [name for name in archive.names if name.startswith(SAMPLES) and name.endswith(".json")]
            for number, name in enumerate(names, start=1):
                try:
                    yield number, archive.json(name)
                except ImportFileError as error:
                    for reason in error.reasons:
                        mistakes.add(reason)

    def output(self, sample: Any) -> Output:
        if "id" not in sample or "epoch" not in sample:
            raise RowError("corpus.no_inspect_log")
        attached = sample.get("attachments") or {}
        sample = _with_attachments({name: sample.get(name) for name in TAKEN}, attached)
        exchange = exchange_of(_conversation(sample))
        asked, is_own = _asked(sample["input"], exchange)
        left_out = [*exchange.left_out, *[LeftOut("corpus.samples_with_error")] * bool(sample["error"])]
        epoch = f" epoch {sample['epoch']}" if self._epochs > 1 else ""
        system = f"{self.about['model']}{epoch}"
        return Output.of(
            left_out,
            _metrics(sample["scores"] or {}),
            question_id=f"{self.about.get('task', '')}/{sample['id']}{f'/{system}' if is_own else ''}",
            question=asked,
            choices=sample["choices"],
            reference_answers=_references(sample["target"], sample["choices"]),
            system=system,
            answer="" if sample["error"] else exchange.answer,
            conversation=None if sample["error"] else marked(_shown_of(exchange, asked)),
        )

    @property
    def _epochs(self) -> int:
        return whole_number((self.about.get("config") or {}).get("epochs") or 1, "epochs")


LETTERS = {"C": 1, "P": 0.5, "I": 0, "N": 0}  # correct, partly, incorrect, no answer: as Inspect counts them
TAKEN = ("id", "epoch", "input", "choices", "target", "messages", "output", "scores", "error")


def _metrics(scores: Mapping[str, Any]) -> dict[str, Any]:
    """What scorers say, by name; one that says several things has a name for each."""
    found: dict[str, Any] = {}
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        several = value.items() if isinstance(value, dict) else [("", value)]
        for part, said in several:
            number = LETTERS.get(said) if isinstance(said, str) else None
            found[f"{name}.{part}" if part else name] = said if number is None else number
    return found


def _asked(given: Any, exchange: Exchange) -> tuple[str, bool]:
    """The question, and whether it has turns that the model itself said, so that no other one was asked the same."""
    before = 0 if isinstance(given, str) else sum(each.get("role") == "assistant" for each in given)
    is_own = sum(turn["role"] == "assistant" for turn in exchange.before) > before
    return (given if isinstance(given, str) and not is_own else exchange.question), is_own


def _shown_of(exchange: Exchange, asked: str) -> Exchange:
    """The conversation as it is shown: a question of one text without what a solver put around it."""
    is_text = asked != exchange.question
    return replace(exchange, before=[{"role": "user", "text": asked}]) if is_text else exchange


def _conversation(sample: Mapping[str, Any]) -> list[Any]:
    """The sample's messages, with what the model put out last where they end before it."""
    asked = sample["input"]
    messages = sample["messages"] or ([{"role": "user", "content": asked}] if isinstance(asked, str) else [*asked])
    choices = (sample["output"] or {}).get("choices") or []
    said = choices[0].get("message") if choices else None
    if said and messages[-1].get("role") != "assistant":
        return [*messages, said]
    return list(messages)


def _references(target: Any, choices: Any) -> list[str]:
    """The targets; of a multiple-choice question the text of the choice that a letter names."""
    targets = [str(each) for each in (target if isinstance(target, list) else [target]) if each not in (None, "")]
    letters = {chr(ord("A") + n): str(choice) for n, choice in enumerate(choices or [])}
    return [letters.get(each, each) for each in targets]


def _with_attachments(value: Any, attached: Mapping[str, str]) -> Any:
    if isinstance(value, str) and value.startswith(ATTACHMENT):
        return attached.get(value.removeprefix(ATTACHMENT), value)
    if isinstance(value, list):
        return [_with_attachments(each, attached) for each in value]
    if isinstance(value, dict):
        return {name: _with_attachments(each, attached) for name, each in value.items()}
    return value


class InspectAi(Outputs):
    key = "inspect"
    called = "corpus.format_inspect"
    in_folders = (".eval", ".json")

    def _open(self, path: Path, name: str, sheet: str) -> InspectLog:
        return InspectLog(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        is_json = suffix == ".json" and '"eval_id"' in beginning and '"task_id"' in beginning
        return suffix == ".eval" or is_json
