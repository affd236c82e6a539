"""Runs of HELM: ``scenario_state.json``, which has requests with what the model replied, and the files beside it.

The folder's name tells the run, so that the same instances under two models are one question.
``per_instance_stats.json`` has what automatic metrics say of each; what it counts of the request itself, such as tokens
and seconds, is passed over, as are the other files of a run.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any, ClassVar

from annotation_platform.corpus.importers.conversations import exchange_of, marked
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.format import Options, Preview
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError, in_json_words, wrong_at
from annotation_platform.corpus.importers.outputs import Output, OutputFile, Outputs, of_metric
from annotation_platform.corpus.importers.rows import Row
from annotation_platform.corpus.importers.study import Entry, Header, LeftOut

WHOLE = 500_000_000  # bytes of a file, which is read as a whole
STATE, STATS = "scenario_state.json", "per_instance_stats.json"
PASSED_OVER = {
    "run_spec.json",
    "scenario.json",
    "stats.json",
    "instances.json",
    "display_predictions.json",
    "display_requests.json",
}


# What statistics are about where they say nothing of the answer.
OF_REQUESTS = ("num_", "training_", "inference_", "finish_reason_", "batch_size", "prompt_truncated")


@dataclass(frozen=True)
class HelmFile(OutputFile):
    """One file of a run. ``beside``: of requests, the file with the statistics of the same run, if it is there.

    Raises
    ------
    ImportFileError
        When it is no file of a run.
    """

    beside: list["HelmFile"] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        check_encoding(self.path, self.name)
        if (size := self.path.stat().st_size) > WHOLE:
            raise ImportFileError([wrong_at(self.name, "corpus.log_too_large", size=size / 1e6, most=WHOLE / 1e6)])
        if self._file not in PASSED_OVER and not (self.is_state or self.is_stats):
            raise ImportFileError([wrong_at(self.name, "corpus.no_helm")])

    @property
    def _file(self) -> str:
        return PurePath(self.name).name

    @cached_property
    def whole(self) -> Any:
        try:
            return json.loads(self.path.read_text(encoding="utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ImportFileError([wrong_at(self.name, "corpus.json_unread", why=in_json_words(error))]) from None

    @property
    def is_state(self) -> bool:
        return isinstance(self.whole, dict) and isinstance(self.whole.get("request_states"), list)

    @property
    def is_stats(self) -> bool:
        first = self.whole[0] if isinstance(self.whole, list) and self.whole else {}
        return isinstance(first, dict) and {"instance_id", "stats"} <= first.keys()

    @property
    def run(self) -> str:
        """The run without its model: the name of its folder is ``SCENARIO:argument=value,model=NAME``."""
        name = PurePath(self.name).parent.name
        scenario, _, arguments = name.partition(":")
        kept = [each for each in arguments.split(",") if each and not each.startswith(("model=", "model_deployment="))]
        return f"{scenario}:{','.join(kept)}" if kept else scenario

    def outputs(self, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
        if self.is_state:
            yield from enumerate(self.whole["request_states"], start=1)

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        yield from super()._read(mistakes)
        if self.is_stats and not self.beside:  # of requests that are not there
            names = [name for each in self.whole for name in _metrics(each)]
            yield Output({}, [of_metric(name) for name in names]).as_row(0)

    @cached_property
    def _statistics(self) -> Mapping[tuple[Any, ...], Mapping[str, Any]]:
        """What metrics say, by instance, perturbation and trial."""
        return {_instance(each, each["instance_id"]): _metrics(each) for file in self.beside for each in file.whole}

    def output(self, state: Any) -> Output:
        instance, request, result = state["instance"], state["request"], state.get("result") or {}
        if state.get("reference_index") is not None:
            return Output({}, [LeftOut("corpus.requests_of_references")])
        completions = result.get("completions") or []
        left_out = [LeftOut("corpus.further_replies", number=len(completions) - 1)] * (len(completions) > 1)
        left_out += [LeftOut("corpus.samples_with_error")] * (not result.get("success", True))
        left_out += _pictures(instance["input"])
        choices = state.get("output_mapping") or {}
        said = completions[0].get("text", "") if completions and result.get("success", True) else ""
        cells = {
            "question_id": self._named(state, instance),
            "choices": [*choices.values()] or None,
            "reference_answers": _correct(instance.get("references") or []),
            "system": self._system(state, request),
        }
        exchange = exchange_of([*_asked(instance["input"]), {"role": "assistant", "content": said, "judge": True}])
        return Output.of(
            [*left_out, *exchange.left_out],
            self._statistics.get(_instance({**instance, **state}, instance["id"]), {}),
            question=exchange.question,
            answer=choices.get(said.strip(), said) if said.strip() else None,
            conversation=marked(exchange) if said.strip() else None,
            prompt=request.get("prompt") or None,
            **cells,
        )

    def _named(self, state: Mapping[str, Any], instance: Mapping[str, Any]) -> str:
        perturbation = (instance.get("perturbation") or {}).get("name")
        parts = [self.run, instance["id"], perturbation]
        return "/".join(filter(None, parts))

    def _system(self, state: Mapping[str, Any], request: Mapping[str, Any]) -> str:
        model = request.get("model") or request.get("model_deployment") or self.whole["adapter_spec"].get("model")
        if not model:
            raise RowError("corpus.no_helm")
        return f"{model} trial {state['train_trial_index'] + 1}" if self._trials > 1 else str(model)

    @cached_property
    def _trials(self) -> int:
        return len({each.get("train_trial_index") for each in self.whole["request_states"]})


def _instance(told: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    return name, (told.get("perturbation") or {}).get("name"), told.get("train_trial_index")


def _metrics(told: Mapping[str, Any]) -> dict[str, Any]:
    found = {stat["name"]["name"]: stat.get("mean") for stat in told["stats"]}
    return {name: mean for name, mean in found.items() if not name.startswith(OF_REQUESTS)}


def _asked(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    return given.get("messages") or [{"role": "user", "content": given.get("text", "")}]


def _pictures(given: Mapping[str, Any]) -> list[LeftOut]:
    objects = (given.get("multimedia_content") or {}).get("media_objects") or []
    kinds = [str(each.get("content_type", "")) for each in objects]
    return [LeftOut("corpus.parts_of_messages", {"kind": kind[:40]}) for kind in kinds if not kind.startswith("text")]


def _correct(references: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        each["output"]["text"] for each in references if "correct" in each.get("tags", ()) and each["output"]["text"]
    ]


class Helm(Outputs):
    key = "helm"
    called = "corpus.format_helm"
    in_folders: ClassVar[Sequence[str]] = (STATE, STATS)

    def _open(self, path: Path, name: str, sheet: str) -> HelmFile:
        return HelmFile(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix == ".json" and (
            ('"adapter_spec"' in beginning and '"request_states"' in beginning) or '"train_trial_index"' in beginning
        )

    def preview(self, sources: Sequence[Any], options: Options) -> Preview:
        return super().preview(_states_first(sources), options)

    def note(self, sources: Sequence[Any], options: Options) -> dict[str, Any]:
        return super().note(_states_first(sources), options)

    def begin(self, sources: Sequence[Any], options: Options, mistakes: Mistakes) -> tuple[Header, Iterator[Entry]]:
        if not any(each.is_state for each in sources):
            raise ImportFileError([wrong_at(sources[0].name, "corpus.helm_without_state")])
        _put_beside(sources)
        return super().begin(sources, options, mistakes)


def _put_beside(files: Sequence[HelmFile]) -> None:
    """Tell requests and statistics of each other where each folder has one file of them."""
    folders: dict[PurePath, tuple[list[HelmFile], list[HelmFile]]] = {}
    for file in files:
        if file.is_state or file.is_stats:
            folders.setdefault(PurePath(file.name).parent, ([], []))[file.is_stats].append(file)
    for states, statistics in folders.values():
        if len(states) == len(statistics) == 1:
            states[0].beside[:], statistics[0].beside[:] = statistics, states


def _states_first(files: Sequence[HelmFile]) -> list[HelmFile]:
    """The files for a preview, which shows the first rows of the first one."""
    return sorted(files, key=lambda each: not each.is_state)
