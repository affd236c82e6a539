"""What the columns of a release hold, for its README: docs/reference/export.md has the same at length."""

from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, FORCED, TIE
from annotation_platform.releases.selectors.columns import Column

OF_COLUMNS = {
    "study": "the study's name",
    "scheme": "the key of the scheme, which is in `scheme.yaml`",
    "batch": "the batch's number",
    "draw_probability": "with which probability the task was drawn; missing where tasks were not drawn by chance",
    "article_id": "the document's identifier",
    "article_title": "the document's title",
    "question_id": "the question's identifier in its document",
    "question": "the question",
    "anchor": "the number of the sentence that raised the question; missing where it is not known",
    "system": "who or what wrote the answer",
    "item_id": "what was judged: an answer, or a group of them",
    "answer": "the answer",
    "question_turns": "the turns before what is judged, as JSON; missing where there are none",
    "answer_turns": "the turns to judge, as JSON; missing where there are none",
    "metrics": "what automatic metrics said of the answer, as JSON",
    "choices": "the choices that were shown, one a line",
    "reference_answers": "the reference answers that were shown, one a line",
    "documents": "the identifiers of the reference documents, one a line",
    "rationale": "the explanation that came with the answer",
    "candidate": "the candidate's number in its item, drawn at random",
    "annotator": "who judged, under the name of this release",
    "replicate": "0; more where one annotator judged an item several times",
    "presented": "the candidates' numbers in the order in which this annotator saw them",
    "seconds": "time on task while the page was in view; missing where it was not measured",
    "revision": "1 for a judgment that was never changed",
    "created_at": "when it was judged",
    "scheme_version": "the version of the scheme that it was judged under, or migrated to",
    "annotation_id": "the judgment's own name",
    "under_earlier_rule": "the keys of answers that an earlier version of the scheme took, and this one would not",
    CANNOT_JUDGE: "1 where the annotator could not judge, else 0",
    f"{CANNOT_JUDGE}_reason": "why not",
}
BY_ENDING = {
    "_number": "its number on the scale; missing where it has none",
    "_count": "how many; 0 says that there are none, missing that it was not asked",
    f"_{TIE}": "1 where a tie was chosen",
    f"_{FORCED}": "1 where none is acceptable",
    "_explanation_score": "the score read from label and explanation, before mixing; missing where there was none",
    "_score": "the rescaled score",
    "_source": "where the score comes from: `model` (label and explanation), `g` (the annotator's mean for this "
    "label), `label_mean` (everybody's), `scale_number` (the scale's own number)",
    "_run": "the scoring run, as in `runs.json`",
}
"""Of columns that belong to an aspect's; longer endings stand first."""


def meaning_of(column: Column, scheme: Scheme) -> str:
    """In English, as all of a release's files are; nothing where the name says all."""
    if column.aspect:
        return f"what people answered to “{scheme.aspect(column.aspect).title}”"
    if column.name in OF_COLUMNS:
        return OF_COLUMNS[column.name]
    return next((said for ending, said in BY_ENDING.items() if column.name.endswith(ending)), "")
