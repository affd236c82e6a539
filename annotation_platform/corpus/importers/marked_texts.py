"""The lengths of the texts in which judgments of files mark spans, for the check of these."""

import json
from collections.abc import Collection

from annotation_platform.core.schemes.spans import named_texts
from annotation_platform.corpus.importers.staged import ImportedStudy

Lengths = tuple[tuple[str, int], ...]


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
        around = named_texts(
            {"question": text},
            (),
            json.loads(article),
            [_sentences(study, name) for name in json.loads(documents)],
            json.loads(references),
        )
        answers = study.rows.execute(
            "SELECT id, text, rationale FROM answer WHERE question = ? ORDER BY id", (question,)
        ).fetchall()
        group = named_texts({}, [each for _, each, _ in answers], (), (), ())
        for answer, each, rationale in answers:
            is_group = study.scheme.judges_candidates
            texts = around | (group if is_group else {"answer": each, "rationale": rationale})
            found[answer] = tuple((name, len(text)) for name, text in texts.items())
    return found


def _sentences(study: ImportedStudy, name: str) -> list[str]:
    sentences = study.one("SELECT sentences FROM article WHERE name = ?", name)
    return json.loads(sentences) if sentences else []
