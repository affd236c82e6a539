"""Samples of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``, and ``results_TIME.json``, which says whose they are.

A row is a document of a task with what the model replied. Of tasks that compare how likely given continuations are, the
answer is the likeliest. A document stands there once for each filter, with the same reply each time.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.core.text import typed_number
from annotation_platform.core.turns import as_text, turns_of
from annotation_platform.corpus.importers.cells import finite_number
from annotation_platform.corpus.importers.conversations import exchange_of
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.format import Options, Preview
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError, in_json_words, wrong_at
from annotation_platform.corpus.importers.outputs import Output, OutputFile, Outputs
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.study import Entry, Header, LeftOut

NAME = re.compile(r"(?:samples_(?P<task>.+)|results)_(?P<at>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl?$")
MOST_RESULTS = 64_000_000  # bytes


@dataclass(frozen=True)
class LmEvalFile(OutputFile):
    """Samples, or results, which have no rows. ``model``: whose samples they are, once the results are known."""

    model: str = ""

    def __post_init__(self) -> None:
        check_encoding(self.path, self.name)

    def where(self, location: Location) -> str:
        return RowFile.where(self, location)

    @cached_property
    def results(self) -> Mapping[str, Any]:
        """What a results file says; nothing where this is one of samples."""
        if self.path.stat().st_size > MOST_RESULTS or self._suffix == ".jsonl":
            return {}
        try:
            found = json.loads(self.path.read_text(encoding="utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ImportFileError([wrong_at(self.name, "corpus.json_unread", why=in_json_words(error))]) from None
        if not isinstance(found, dict) or "configs" not in found:
            raise ImportFileError([wrong_at(self.name, "corpus.no_lm_eval")])
        return found

    @property
    def _suffix(self) -> str:
        return Path(self.name).suffix.lower()

    @property
    def at(self) -> str:
        """When the run began, as the file's name has it."""
        found = NAME.search(Path(self.name).name)
        return found["at"] if found else ""

    @property
    def task(self) -> str:
        found = NAME.search(Path(self.name).name)
        return (found and found["task"]) or Path(self.name).stem.removeprefix("samples_")

    def outputs(self, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
        if not self.results:
            yield from ((row.line, row.values) for row in RowFile(self.path, self.name).rows(mistakes))

    def output(self, row: Any) -> Output:
        if not {"doc_id", "doc", "arguments", "resps"} <= row.keys():
            raise RowError("corpus.no_lm_eval")
        asked = _arguments(row["arguments"])
        reply, left_out = _reply(row["resps"], asked)
        prompt = _prompt(asked)
        choices = [str(each[1]).strip() for each in asked] if _is_multiple_choice(asked) else []
        doc = row["doc"] if isinstance(row["doc"], dict) else {}
        question = doc.get("question")
        is_told = isinstance(question, str) and bool(question.strip())
        return Output.of(
            left_out,
            {_metric(name, row.get("filter")): row.get(name) for name in row.get("metrics", [])},
            question_id=f"{self.task}/{row['doc_id']}",
            question=question if is_told else prompt,
            choices=choices or None,
            reference_answers=_references(row.get("target"), choices),
            system=self.model,
            answer=reply,
            prompt=prompt,
            **{f"doc.{name}": _cell(value) for name, value in doc.items() if not (is_told and name == "question")},
        )


def _arguments(given: Any) -> list[list[Any]]:
    """The requests that were made for a document, each as [prompt, continuation or settings]."""
    requests = given.values() if isinstance(given, dict) else given
    return [[*each.values()] if isinstance(each, dict) else list(each) for each in requests]


def _is_multiple_choice(asked: Sequence[Sequence[Any]]) -> bool:
    return len(asked) > 1 and all(len(each) > 1 and isinstance(each[1], str) for each in asked)


def _reply(replies: Sequence[Any], asked: Sequence[Sequence[Any]]) -> tuple[str | None, list[LeftOut]]:
    """What the model replied; of several continuations the likeliest one; None where it wrote nothing."""
    first = [each[0] if isinstance(each, list) and each else each for each in replies]
    if first and isinstance(first[0], str):
        further = sum(len(each) for each in replies if isinstance(each, list)) - 1
        return first[0], [LeftOut("corpus.further_replies", number=further)] * (further > 0)
    if _is_multiple_choice(asked) and len(first) == len(asked):
        likely = [finite_number(each[0], "resps") for each in first]
        return str(asked[likely.index(max(likely))][1]).strip(), []
    return None, []


def _prompt(asked: Sequence[Sequence[Any]]) -> str:
    """What the model was asked; of a chat its turns with roles."""
    prompt = asked[0][0] if asked and asked[0] else ""
    if isinstance(prompt, str) and prompt.startswith('[{"role"'):
        return as_text(turns_of(exchange_of(json.loads(prompt)).turns))
    return str(prompt)


def _references(target: Any, choices: Sequence[str]) -> list[str]:
    """The targets; of a multiple-choice question the choice whose place, from 0, the target is."""
    targets = [str(each) for each in (target if isinstance(target, list) else [target]) if each not in (None, "")]
    places = [(each, typed_number(each, most=len(choices) - 1)) for each in targets]
    return [each if place is None else choices[place] for each, place in places]


def _metric(name: str, filter: Any) -> str:
    return name if filter in (None, "", "none") else f"{name} ({filter})"


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


class LmEval(Outputs):
    key = "lm_eval"
    called = "corpus.format_lm_eval"
    in_folders = (".json", ".jsonl")
    aliases: ClassVar[Mapping[str, str]] = {"passage": "article", "context": "article", "title": "article_title"}

    def _open(self, path: Path, name: str, sheet: str) -> LmEvalFile:
        return LmEvalFile(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        if suffix == ".json":
            return '"group_subtasks"' in beginning and '"configs"' in beginning
        return suffix == ".jsonl" and all(f'"{name}"' in beginning for name in ("doc_id", "arguments", "resps"))

    def preview(self, sources: Sequence[Any], options: Options) -> Preview:
        return super().preview(_samples_first(sources), options)

    def note(self, sources: Sequence[Any], options: Options) -> dict[str, Any]:
        return super().note(_samples_first(sources), options)

    def begin(self, sources: Sequence[Any], options: Options, mistakes: Mistakes) -> tuple[Header, Iterator[Entry]]:
        known = _with_models(sources)
        header, entries = super().begin(known, options, mistakes)
        unknown = [each for each in known if not each.results and not _told(each, sources)]
        warnings = [Reason("corpus.model_not_told", file=each.name, system=each.model) for each in unknown]
        return replace(header, warnings=[*header.warnings, *warnings]), entries


def _told(file: LmEvalFile, files: Sequence[LmEvalFile]) -> str:
    """The model that a results file names: that of the same run, or the only one; "" where there is none."""
    results = [each for each in files if each.results]
    of_run = [each for each in results if each.at == file.at] or results
    return str(of_run[0].results.get("model_name") or "") if len(of_run) == 1 else ""


def _with_models(files: Sequence[LmEvalFile]) -> list[LmEvalFile]:
    """The files with the models whose they are; one that nothing tells of is called by its folder or name."""
    return [replace(each, model=_told(each, files) or each.model or _called(each.name)) for each in files]


def _samples_first(files: Sequence[LmEvalFile]) -> list[LmEvalFile]:
    """The files for a preview, which shows the first rows of the first one."""
    known = _with_models(files)
    return [each for each in known if not each.results] + [each for each in known if each.results]


def _called(name: str) -> str:
    return Path(name).parent.name or Path(name).stem
