"""Logs of OpenAI evals: JSON Lines with the run's ``spec``, an event a line, and a ``final_report``.

What a model was given and said is a ``sampling`` event; the first one of a sample counts, or the last of a dialogue
that goes on from it, so that a model which grades is not taken for the one that is graded. References are what
``match`` events expected.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from annotation_platform.core.locations import Location
from annotation_platform.corpus.importers.conversations import exchange_of, marked
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError, wrong_at
from annotation_platform.corpus.importers.outputs import Output, OutputFile, Outputs
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.study import LeftOut

SCORED = ("match", "metrics")


@dataclass
class Sample:
    """What the events of one sample say."""

    line: int = 0
    prompt: Any = None
    said: Any = None
    further: int = 0
    expected: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)

    @property
    def is_broken(self) -> bool:
        """Whether it ended with an error."""
        return bool(self.left_out)

    def take(self, kind: str, line: int, data: Mapping[str, Any]) -> None:
        if kind == "sampling":
            self._sampled(line, data)
        elif kind == "function_call":
            result = {"result": data.get("return_value")}
            self.calls.append({"name": data.get("name"), "arguments": data.get("arguments")} | result)
        elif kind == "error":
            self.left_out.append(LeftOut("corpus.samples_with_error"))
        elif kind in SCORED:
            expected = data.get("expected")
            told = {name: value for name, value in data.items() if name != "expected"}
            self.metrics |= {"match": data.get("correct")} if kind == "match" else told
            self.expected += [str(each) for each in (expected if isinstance(expected, list) else [expected]) if each]

    def _sampled(self, line: int, data: Mapping[str, Any]) -> None:
        prompt = data.get("prompt")
        goes_on = (
            isinstance(prompt, list) and isinstance(self.prompt, list) and prompt[: len(self.prompt)] == self.prompt
        )
        if self.line and not goes_on:
            self.further += 1
            return
        sampled = data.get("sampled")
        self.line, self.prompt = line, prompt
        self.said = sampled[0] if isinstance(sampled, list) and sampled else sampled
        self.further += len(sampled) - 1 if isinstance(sampled, list) and sampled else 0


@dataclass(frozen=True)
class EvalLog(OutputFile):
    """A log.

    Raises
    ------
    ImportFileError
        When it is none.
    """

    def __post_init__(self) -> None:
        check_encoding(self.path, self.name)
        if not self.spec:
            raise ImportFileError([wrong_at(self.name, "corpus.no_openai_evals")])

    def where(self, location: Location) -> str:
        return RowFile.where(self, location)

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        """The first line: which eval was run on what."""
        first = next(iter(RowFile(self.path, self.name).rows(Mistakes())), None)
        spec = first.values.get("spec") if first else None
        return spec if isinstance(spec, dict) else {}

    def outputs(self, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
        """The samples, each once all its events are read."""
        samples: dict[str, Sample] = {}
        for row in RowFile(self.path, self.name).rows(mistakes):
            data = row.values.get("data")
            if "type" in row.values and isinstance(data, dict):
                sample = samples.setdefault(str(row.values.get("sample_id")), Sample())
                sample.take(str(row.values["type"]), row.line, data)
        yield from ((sample.line, (name, sample)) for name, sample in samples.items())

    def output(self, written: Any) -> Output:
        name, sample = written
        left_out = [
            *sample.left_out,
            *[LeftOut("corpus.further_replies", number=sample.further)] * bool(sample.further),
        ]
        cells: dict[str, Any] = {"reference_answers": list(dict.fromkeys(sample.expected)), "system": self._system}
        cells["question_id"] = f"{self.spec.get('eval_name', '')}/{name}"
        if sample.said in (None, "") or sample.is_broken:
            return Output.of(left_out, sample.metrics, **cells)
        given = sample.prompt if isinstance(sample.prompt, list) else [{"role": "user", "content": str(sample.prompt)}]
        reply = {"role": "assistant", "content": str(sample.said), "calls": sample.calls, "judge": True}
        exchange = exchange_of([*given, reply])
        return Output.of(
            [*left_out, *exchange.left_out],
            sample.metrics,
            question=exchange.question,
            answer=exchange.answer,
            conversation=marked(exchange),
            **cells,
        )

    @property
    def _system(self) -> str:
        """What was evaluated: the first of the completion functions; a grader comes after it."""
        names = self.spec.get("completion_fns") or []
        if not names:
            raise RowError("corpus.no_openai_evals")
        return str(names[0])


class OpenAiEvals(Outputs):
    key = "openai_evals"
    called = "corpus.format_openai_evals"
    in_folders: ClassVar[Sequence[str]] = (".jsonl",)

    def _open(self, path: Path, name: str, sheet: str) -> EvalLog:
        return EvalLog(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix in (".jsonl", ".json") and beginning.startswith('{"spec"') and '"completion_fns"' in beginning
