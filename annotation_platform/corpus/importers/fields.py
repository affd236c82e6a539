"""The fields that columns of a table can hold under a scheme, and the other names that they go by."""

from collections.abc import Iterator, Mapping, Sequence, Set

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Aspect, BestOfAspect, ItemChoiceAspect, RatedAspect, Scheme, SeveralAspect
from annotation_platform.core.schemes.aspects import CANNOT_JUDGE, CHOICE_LETTERS, TIE
from annotation_platform.corpus.importers.cells import YES
from annotation_platform.corpus.importers.format import Field
from annotation_platform.corpus.importers.spelling import NONE

MOST_BESIDE = 8  # candidates or choices in numbered columns
BESIDE = range(1, MOST_BESIDE + 1)
CANNOT_JUDGE_REASON_COLUMN = f"{CANNOT_JUDGE}_reason"  # as exports call it
PRESENTED = "presented"
CONVERSATIONS = {"conversation", *(f"conversation.{n}" for n in BESIDE)}
IN_CONVERSATIONS = ("question", "answer")
NAMES_OF_THE_BEST = ("winner", "preference", "preferred", "chosen", "better", "best")
ALIASES = {
    "id": "question_id",
    "qid": "question_id",
    "conversation_id": "question_id",
    "prompt": "question",
    "query": "question",
    "options": "choices",
    "response": "answer",
    "output": "answer",
    "candidate": "answer",
    "explanation": "rationale",
    "references": "reference_answers",
    "reference": "reference_answers",
    "gold": "reference_answers",
    "context": "article",
    "passage": "article",
    "document": "article",
    "title": "article_title",
    "model": "system",
    "worker": "annotator",
    "worker_id": "annotator",
    "workerid": "annotator",
    "rater": "annotator",
    "annotator_id": "annotator",
    "judge": "annotator",
    "time": "seconds",
    "lead_time": "seconds",
    "created_at": "judged_at",
    "timestamp": "judged_at",
    "messages": "conversation",
    "conversations": "conversation",
    "turns": "conversation",
    "tstamp": "judged_at",
    **{
        f"{name}_{letter}": f"answer.{n}"
        for n, letter in enumerate("ab", 1)
        for name in ("response", "answer", "output")
    },
    **{f"conversation_{letter}": f"conversation.{n}" for n, letter in enumerate("ab", 1)},
    **{f"{name}_{letter}": f"system.{n}" for n, letter in enumerate("ab", 1) for name in ("model", "system")},
}


def fields_of(scheme: Scheme) -> list[Field]:
    """The fields that a column can hold under a scheme: parts of the item, then who judged it, then every slot."""
    items = fields_of_items(scheme)
    return [*items, *_fields_of_judgments(scheme, {field.key for field in items})]


def fields_of_items(scheme: Scheme) -> list[Field]:
    """The fields that say what an item is."""
    parts = set(scheme.parts)
    group = scheme.judges_candidates
    has_choices = "choices" in parts or any(isinstance(aspect, ItemChoiceAspect) for aspect in scheme.aspects)
    items = [
        Field("question", Reason("corpus.field_question"), is_needed=True),
        Field("question_id", Reason("corpus.field_question_name")),
        Field("answer", Reason("corpus.field_answer"), is_needed="answer" in parts),
        Field("rationale", Reason("corpus.field_rationale"), is_needed="rationale" in parts),
        Field("system", Reason("corpus.field_system")),
        Field("conversation", Reason("corpus.field_conversation")),
    ]
    if group:
        for n in BESIDE:
            items.append(Field(f"answer.{n}", Reason("corpus.field_numbered_answer", number=n)))
            items.append(Field(f"system.{n}", Reason("corpus.field_numbered_system", number=n)))
            items.append(Field(f"conversation.{n}", Reason("corpus.field_numbered_conversation", number=n)))
    if has_choices:
        items += choice_fields()
    if "reference_answers" in parts:
        items.append(Field("reference_answers", Reason("corpus.field_reference_answers"), is_needed=True))
    if "documents" in parts:
        items.append(Field("documents", Reason("corpus.field_documents")))
    if "article" in parts:
        items += [
            Field("article", Reason("corpus.field_article")),
            Field("article_id", Reason("corpus.field_article_name")),
            Field("article_title", Reason("corpus.field_article_title")),
            Field("article_source", Reason("corpus.field_article_source")),
            Field("article_url", Reason("corpus.field_article_url")),
            Field("anchor", Reason("corpus.field_anchor")),
        ]
    return items


def choice_fields() -> list[Field]:
    """The fields of a question's choices: all in one column, or one in each."""
    numbered = [Field(f"choice.{n}", Reason("corpus.field_numbered_choice", number=n)) for n in BESIDE]
    return [Field("choices", Reason("corpus.field_choices")), *numbered]


def _fields_of_judgments(scheme: Scheme, taken: Set[str]) -> Iterator[Field]:
    judged = [
        Field("annotator", Reason("corpus.field_annotator")),
        Field("replicate", Reason("corpus.field_replicate")),
        Field("seconds", Reason("corpus.field_seconds")),
        Field("judged_at", Reason("corpus.field_judged_at")),
    ]
    yield from judged
    taken = taken | {field.key for field in judged}
    for aspect in scheme.aspects:
        key, title, values = aspect.key, aspect.title, _values_of(aspect)
        key = f"aspect.{key}" if key in taken else key
        yield Field(key, title, values=values)
        if aspect.per == "candidate":
            for n in BESIDE:
                beside = Reason("corpus.field_aspect_of_answer", title=title, number=n)
                yield Field(f"{key}.{n}", beside, values=values)
        if isinstance(aspect, BestOfAspect) and aspect.forced_label:
            yield Field(f"{key}.forced", aspect.forced_label)
    if label := scheme.cannot_judge:
        yield Field(CANNOT_JUDGE, Reason("corpus.field_mark", label=label), values=((YES, label),))
        yield Field(CANNOT_JUDGE_REASON_COLUMN, Reason("corpus.field_why", label=label))


def aliases_of(scheme: Scheme, aliases: Mapping[str, str]) -> Mapping[str, str]:
    """Names that columns go by, with those that published comparisons have for which answer is the best."""
    best = [aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)]
    return {**aliases, **dict.fromkeys(NAMES_OF_THE_BEST, best[0])} if len(best) == 1 else aliases


def _values_of(aspect: Aspect) -> list[tuple[str, str]]:
    """What can be said to an aspect, as (value, label); none where anything can."""
    if isinstance(aspect, BestOfAspect):
        return [(str(n), Reason("corpus.field_answer_of_row", number=n)) for n in BESIDE] + (
            [(TIE, aspect.tie_label)] * bool(aspect.tie_label)
        )
    if isinstance(aspect, ItemChoiceAspect):
        none = [(NONE, aspect.none_label)] if aspect.none_label else []
        letters = CHOICE_LETTERS[:MOST_BESIDE]
        return [(letter, Reason("corpus.field_choice_of_letter", letter=letter)) for letter in letters] + none
    choices = aspect.scale.choices if isinstance(aspect, RatedAspect) else ()
    choices = aspect.choices if isinstance(aspect, SeveralAspect) else choices
    return [(choice.key, choice.label) for choice in choices]


def judged_fields(scheme: Scheme, fields: Sequence[Field]) -> set[str]:
    """The fields that hold what was said of an item."""
    keys = {aspect.key for aspect in scheme.aspects}
    return {field.key for field in fields if {field.key.partition(".")[0], *field.key.split(".")[:2]} & keys} | {
        CANNOT_JUDGE
    }
