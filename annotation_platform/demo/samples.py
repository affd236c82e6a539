"""The sample studies, as files that come along: one for each preset, and one of each kind that needs more than that."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.core.schemes import read_scheme
from annotation_platform.corpus.importers import FORMATS, Format, Options, open_files, read_study
from annotation_platform.corpus.importers.mistakes import Mistakes
from annotation_platform.corpus.importers.study import NO_DOCUMENT, Entry, Finished, Header, ImportedJudgment, Origin
from annotation_platform.corpus.importers.traces.langfuse import Langfuse
from annotation_platform.demo.recorded import SAMPLES
from annotation_platform.imports.storing import import_study
from annotation_platform.studies.models import Study

FIRST = "ebr.yaml"  # the main job's; the researcher arrives there
CONVERSATIONS = SAMPLES / "conversations" / "study.yaml"
TRACES = SAMPLES / "traces" / "langfuse.jsonl"
TRACES_NAME = "On the allotment"


class JudgedTraces(Langfuse):
    """What Langfuse exports has no judgments of this platform; those of the sample lie in a file beside it."""

    settings: Mapping[str, int] = {"overlap": 3, "questions_per_hit": 1, "hits_per_batch": 5}

    def __init__(self, judgments: Path) -> None:
        self._judgments = judgments

    def begin(self, sources: Sequence[Any], options: Options, mistakes: Mistakes) -> tuple[Header, Iterator[Entry]]:
        header, entries = super().begin(sources, options, mistakes)
        header = replace(
            header, settings=self.settings, finished=Finished.NONE, is_spelled=False, not_asked=frozenset()
        )
        return header, chain(entries, self._judged())

    def _judged(self) -> Iterator[Entry]:
        for number, row in enumerate(yaml.safe_load(self._judgments.read_text(encoding="utf-8")), start=1):
            yield ImportedJudgment(NO_DOCUMENT, **row, origin=Origin(0, (number,)))


def sample_files(folder: Path = SAMPLES) -> list[Path]:
    """The samples in the order in which they are loaded."""
    of_presets = sorted(folder.glob("*.yaml"), key=lambda path: (path.name != FIRST, path.name))
    return [*of_presets, *filter(Path.exists, (folder / each.relative_to(SAMPLES) for each in (CONVERSATIONS, TRACES)))]


def load_sample(sample: Path, *, owner: User, actor: Actor) -> Study:
    """Store a sample by the scheme in the file beside it, if there is one, and else by the one that it names."""
    scheme = sample.with_name("scheme.yaml")
    definition = read_scheme(scheme.read_text(encoding="utf-8"), source=scheme.name) if scheme.exists() else None
    format = _format(sample)
    with read_study(format, open_files(format, [sample]), Options(definition=definition)) as imported:
        stored = import_study(imported=imported, name=corpus_name(sample), owner=owner, actor=actor)
    return Study.objects.get(pk=stored.study.pk)


def corpus_name(sample: Path) -> str:
    """The name that a sample gives its corpus: the study is called the same."""
    if sample.name == TRACES.name:  # a file of another program, which names none
        return TRACES_NAME
    found = re.search(r"^corpus:\n  name: (.+)$", sample.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"{sample.name} does not begin its corpus with a name.")
    return found[1].strip().strip("\"'")


def _format(sample: Path) -> Format:
    is_traces = sample.name == TRACES.name
    return JudgedTraces(sample.with_name("judgments.yaml")) if is_traces else FORMATS["native"]
