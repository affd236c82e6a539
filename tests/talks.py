"""Studies of conversations: a long one with a tool, and one in which two systems part after the first turn."""

import json
from pathlib import Path
from typing import Any

from annotation_platform.core.schemes import read_scheme
from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.corpus.models import Corpus
from annotation_platform.imports.storing import import_corpus
from annotation_platform.studies.models import Study
from tests.factories import OPERATOR, UserFactory, open_study

CALL = {"name": "look_up", "arguments": '{"q": "ice"}', "result": "Ice: 0.917 g/cm³, water: 1."}
LONG: list[dict[str, Any]] = [
    {"role": "system", "text": "Answer briefly."},
    *(
        {"role": ("user", "assistant")[n % 2], "text": text}
        for n, text in enumerate(("Why is ice white?", "Air is in it.", "And snow?", "Air, too.", "And clear ice?"))
    ),
    {"role": "assistant", "text": "It has no air.", "calls": [{"name": "look_up", "result": "Clear ice."}]},
    {"role": "user", "name": "Ann", "text": "Why does it float?"},
]
REPLY: list[dict[str, Any]] = [
    {"role": "assistant", "text": "", "calls": [CALL]},
    {"role": "assistant", "text": "It is lighter than water."},
]
APART: list[dict[str, Any]] = [
    {"role": "assistant", "text": "Magic."},
    {"role": "user", "text": "Really?"},
    {"role": "assistant", "text": "No."},
]
ALONE = """\
key: reply
title: A reply
shown: [question, answer]
aspects:
  - {key: good, kind: yes_no, title: "Is it a good reply?"}
"""
PAIR = """\
key: pair
title: A pair
shown: [question, candidates]
aspects:
  - {key: winner, kind: best_of, title: "Which is better?", tie_label: Both alike}
"""
CITING = """\
key: reply
title: A reply
shown: [question, answer]
aspects:
  - {key: good, kind: yes_no, title: "Is it a good reply?"}
  - {key: where, kind: sentences, cites: [conversation], title: "Which sentences made you say so?"}
"""
PAIR_CITING = """\
key: pair
title: A pair
shown: [question, candidates]
aspects:
  - {key: wrong, kind: sentences, cites: [conversation], per: candidate, title: "Which sentences are wrong?"}
  - {key: asked, kind: sentences, cites: [conversation], title: "Which sentences ask for it?", required: false}
"""


def native() -> dict[str, Any]:
    """A file in the platform's own format, as data."""
    questions = [
        {"id": "ice", "turns": LONG, "answers": {"alder": {"turns": REPLY}, "birch": "Magic."}},
        {"id": "sea", "text": "What pulls at the sea?", "answers": {"alder": "The moon.", "birch": {"turns": APART}}},
    ]
    return {"format": "annotation-platform/1", "corpus": {"name": "Talks", "questions": questions}}


def corpus_of(path: Path, scheme: str = ALONE, format: str = "native") -> Corpus:
    """The corpus that a file becomes."""
    chosen, stored = FORMATS[format], list[Corpus]()
    options = Options(definition=read_scheme(scheme), wants_judgments=False)
    with read_study(chosen, open_files(chosen, [path]), options) as imported:
        import_corpus(
            imported=imported, name=f"Talks {path.name}", owner=UserFactory(), actor=OPERATOR, and_then=stored.append
        )
    return stored[0]


def study_of_talks(folder: Path, scheme: str = ALONE, **settings: Any) -> Study:
    """An open study of the file's questions."""
    path = folder / "talks.json"
    path.write_text(json.dumps(native()), encoding="utf-8")
    return open_study(corpus=corpus_of(path, scheme), definition=read_scheme(scheme), **settings)
