"""What judgments of files mark and cite, for the check of these: lengths of texts, and turns of conversations."""

import json
import sys
from collections.abc import Collection

from annotation_platform.core.schemes.spans import named_texts
from annotation_platform.core.turns import Conversation, Turn, as_turns, conversation_of, turns_of
from annotation_platform.corpus.importers.staged import ImportedStudy

Lengths = tuple[tuple[str, int], ...]
NO_END = sys.maxsize
"""The length of a text that an export names and does not hold: any span is within it."""


def lengths_by_answer(study: ImportedStudy, questions: Collection[int]) -> dict[int, Lengths]:
    """Row of an answer → length of each text of its item by the text's name; empty where the scheme marks nothing.

    The answers of a group share theirs.
    """
    if not study.scheme.spans_aspects:
        return {}
    wanted = json.dumps(sorted(questions))
    found: dict[int, Lengths] = {}
    for question, text, article, documents, references in study.rows.execute(
        "SELECT q.id, q.text, a.sentences, q.documents, q.reference_answers"
        " FROM question q JOIN article a ON a.id = q.article WHERE q.id IN (SELECT value FROM json_each(?))",
        (wanted,),
    ).fetchall():
        own, others = json.loads(article), [_sentences(study, name) for name in json.loads(documents)]
        around = named_texts({"question": text}, (), own, others, json.loads(references))
        not_held = _not_held(len(others)) if study.header.is_export else {}
        answers = study.rows.execute(
            "SELECT id, text, rationale FROM answer WHERE question = ? ORDER BY id", (question,)
        ).fetchall()
        group = named_texts({}, [each for _, each, _ in answers], (), (), ())
        for answer, each, rationale in answers:
            is_group = study.scheme.judges_candidates
            texts = around | (group if is_group else {"answer": each, "rationale": rationale})
            lengths = {name: len(text) for name, text in texts.items()}
            found[answer] = tuple((not_held | lengths).items())
    return found


def _not_held(documents: int) -> dict[str, int]:
    """The article and so many documents, as if an export held none of their texts."""
    return dict.fromkeys(("article", *(f"R{number}" for number in range(1, documents + 1))), NO_END)


def conversations_by_answer(study: ImportedStudy, questions: Collection[int]) -> dict[int, Conversation]:
    """Row of an answer → the turns that can be cited of its item; empty where the scheme cites none.

    The answers of a group share theirs.
    """
    if not study.scheme.cites_conversation:
        return {}
    shown, language = study.scheme.parts_of_conversation, study.header.language
    found: dict[int, Conversation] = {}
    for question, text, turns in study.rows.execute(
        "SELECT id, text, turns FROM question WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(questions)),),
    ).fetchall():
        asked = as_turns("user", _turns(turns), text)
        answers = study.rows.execute("SELECT id, text, turns FROM answer WHERE question = ? ORDER BY id", (question,))
        said = {answer: as_turns("assistant", _turns(own), each) for answer, each, own in answers.fetchall()}
        if "candidates" in shown:
            found |= dict.fromkeys(said, conversation_of(asked, (), said.values(), language))
        else:
            alone = {answer: each if "answer" in shown else () for answer, each in said.items()}
            found |= {answer: conversation_of(asked, each, (), language) for answer, each in alone.items()}
    return found


def _turns(stored: str | None) -> tuple[Turn, ...]:
    return turns_of(json.loads(stored or "null"))


def _sentences(study: ImportedStudy, name: str) -> list[str]:
    sentences = study.one("SELECT sentences FROM article WHERE name = ?", name)
    return json.loads(sentences) if sentences else []
