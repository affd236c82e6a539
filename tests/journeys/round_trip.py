"""Studies under any scheme, judged in every way that it allows, and what of them must come back from an export."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import (
    BestOfAspect,
    InvalidJudgmentError,
    ItemChoiceAspect,
    ItemShape,
    RatedAspect,
    Scheme,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
    TextAspect,
    build_scheme,
    check_judgment,
)
from annotation_platform.core.schemes.definition import Slot
from annotation_platform.core.schemes.spans import part_of
from annotation_platform.corpus.models import Answer, Corpus, ReferenceDocument
from annotation_platform.studies.models import Item, Member, Study
from annotation_platform.studies.selectors import item_shapes
from tests.factories import ArticleFactory, CorpusFactory, QuestionFactory, SystemFactory, study_with_judgments

TEXTS = (
    "two\nlines, with a comma",
    'she said "no", then: ""yes""',
    "=HYPERLINK(1)",
    "'=not guarded",
    "回答は正しいが、橋の閉鎖に触れていない。🙂",
    "none",
    "なし | a | b",
    "1",
    "<br> &lt;br&gt; stays\r\nas it is",
    "['a', 'b']",
)
SYSTEMS = ("alder", "tie", "2", "桜")
CHOICES = ["b", "a", "a | b, [c]", "two\nlines"]
REASONS = ("It is in Russian.", "途中で切れている。🙂", "1")


def hard_corpus(*, documents: bool, text: bool) -> Corpus:
    """Two articles (without a text unless ``text``) with questions of the same names, answered by every system."""
    corpus = CorpusFactory()
    systems = [SystemFactory(corpus=corpus, name=name) for name in SYSTEMS]
    references = [ArticleFactory(corpus=corpus, sentences=3, position=number) for number in (8, 9)]
    for number in range(2):
        article = ArticleFactory(corpus=corpus, sentences=6 * text, title=("", "題 🙂")[number], position=number)
        for place in range(2):
            question = QuestionFactory(
                article=article,
                external_id=f"q{place}",
                position=place,
                text=f"{TEXTS[2 * number + place]} Why?",
                anchor=(None, 2)[place],
                choices=CHOICES,
                reference_answers=["[one]", "<br>", *["two\nlines"] * place],
            )
            if documents:
                ReferenceDocument.objects.bulk_create(
                    ReferenceDocument(question=question, article=reference, number=rank)
                    for rank, reference in enumerate(references[:: -1 if place else 1], start=1)
                )
            Answer.objects.bulk_create(
                Answer(
                    question=question,
                    system=system,
                    text=f"{TEXTS[(3 * number + rank) % len(TEXTS)]} {rank}{' ' * place}",
                    rationale=f"{TEXTS[(5 * number + rank) % len(TEXTS)]} {rank}",
                )
                for rank, system in enumerate(systems[: 2 + place + number])
            )
    return corpus


def judged_study(definition: Mapping[str, Any], *, annotators: int = 3) -> Study:
    """A closed study under a scheme, in which people have said whatever can be said, also that they cannot judge."""
    scheme = build_scheme(dict(definition))
    corpus = hard_corpus(documents="documents" in scheme.parts, text="article" in scheme.parts)
    shapes: dict[int, ItemShape] = {}
    said = iter(range(1_000_000))

    def values(member: Member, item: Item) -> dict[str, Any]:
        if not shapes:
            shapes.update(item_shapes(item.study, scheme))
        return opinion(scheme, shapes[item.pk], next(said))

    return study_with_judgments(
        corpus=corpus, definition=dict(definition), values=values, annotators=annotators, name="First"
    )


def opinion(scheme: Scheme, shape: ItemShape, number: int) -> dict[str, Any]:
    """What the judgment with this number says: every scheme sees each choice, each list and each text in turn."""
    if scheme.cannot_judge and number % 4 == 3:
        return {"cannot_judge": True, "cannot_judge.reason": REASONS[number // 4 % len(REASONS)]}
    values: dict[str, Any] = {}
    for place, slot in enumerate(scheme.slots(shape)):
        turn = number + place
        if slot.aspect.required or slot.aspect.required_when or turn % 3:
            values |= _said(scheme, slot, shape, turn)
    try:
        check_judgment(scheme, values, shape)
    except InvalidJudgmentError as error:  # where a condition wants more of a list
        values |= dict.fromkeys(error.errors, _places(scheme, shape)[:1])
    return values


def _said(scheme: Scheme, slot: Slot, shape: ItemShape, turn: int) -> dict[str, Any]:
    aspect = slot.aspect
    if isinstance(aspect, RatedAspect):
        keys = [choice.key for choice in aspect.scale.choices]
        return {slot.key: keys[turn % len(keys)]}
    if isinstance(aspect, ItemChoiceAspect):
        keys = aspect.keys(shape.choices)
        return {slot.key: keys[turn % len(keys)]}
    if isinstance(aspect, BestOfAspect):
        keys = aspect.keys(shape.candidates)
        chosen = keys[turn % len(keys)]
        forced = {slot.forced_key: True} if slot.forced_key and turn % 2 and chosen != "tie" else {}
        return {slot.key: chosen, **forced}
    if isinstance(aspect, SeveralAspect):
        keys = [choice.key for choice in aspect.choices]
        return {slot.key: keys[turn % (len(keys) + bool(aspect.none_label)) :]}
    if isinstance(aspect, SentencesAspect):
        places = _places(scheme, shape)
        return {slot.key: [[], places[:1], places[1:3], places[-2:]][turn % 4] or places[: not aspect.none_label]}
    if isinstance(aspect, SpansAspect):
        return {slot.key: _marks(aspect, shape, slot, turn)}
    assert isinstance(aspect, TextAspect)
    text = unicodedata.normalize("NFC", TEXTS[turn % len(TEXTS)])
    return {slot.key: text.ljust(aspect.min_length, "。")[: aspect.max_length]}


def _marks(aspect: SpansAspect, shape: ItemShape, slot: Slot, turn: int) -> list[dict[str, Any]]:
    """As many spans as the turn says, over the first text that can be marked; what overlaps has another label."""
    known = dict(shape.texts)
    own = {"answer": known.get(f"answer.{slot.candidate}", 0)} if slot.candidate else known
    name, length = next((each for each in own.items() if part_of(each[0]) in aspect.marks), ("answer", 0))
    keys = [label.key for label in aspect.labels]
    note = {"note": TEXTS[turn % len(TEXTS)].strip()[:50]} if aspect.notes and turn % 2 else {}
    marks = [{"text": name, "start": at, "end": at + 2, "label": keys[at % len(keys)]} | note for at in range(turn % 3)]
    return [mark for mark in marks if mark["end"] <= length]


def _places(scheme: Scheme, shape: ItemShape) -> list[Any]:
    article = list(range(1, shape.sentences + 1)) if "article" in scheme.parts else []
    return article + [f"R{d}:{n}" for d, count in enumerate(shape.documents, 1) for n in range(1, count + 1)]


def records(study: Study) -> list[dict[str, Any]]:
    """Every judgment that counts, with everything that must come back; candidates by their systems."""
    found = [_record(study, judgment) for judgment in _current(study)]
    return sorted(found, key=lambda record: str((record["about"], record["annotator"], record["replicate"])))


def _current(study: Study) -> Any:
    ways = ("item__candidates__answer__system", "item__question__documents", "ratings", "sentence_references")
    judgments = Annotation.objects.current().filter(item__study=study)
    return judgments.select_related("item__question__article", "annotator", "assignment").prefetch_related(*ways)


def _record(study: Study, judgment: Annotation) -> dict[str, Any]:
    question, scheme = judgment.item.question, study.scheme()
    shown = {each.number: each.answer for each in judgment.item.candidates.all()}
    name = {str(number): answer.system.name for number, answer in shown.items()}
    about: dict[str, Any] = {
        "article": (question.article.external_id, question.article.title),
        "question": (question.external_id, question.text, question.anchor),
        "answers": sorted((answer.system.name, answer.text) for answer in shown.values()),
    }
    if "choices" in scheme.parts:
        about["choices"] = question.choices
    if "reference_answers" in scheme.parts:
        about["reference_answers"] = question.reference_answers
    if "rationale" in scheme.parts:
        about["rationales"] = sorted(answer.rationale for answer in shown.values())
    if "documents" in scheme.parts:
        about["documents"] = [each.article.external_id for each in question.reference_documents.all()]
    return {
        "about": about,
        "annotator": judgment.annotator.pseudonym,
        "replicate": judgment.assignment.replicate,
        "values": _by_system(scheme, judgment.values, name),
        "presented": judgment.presented and [name[str(number)] for number in judgment.presented],
        "seconds": judgment.seconds,
        "at": judgment.created_at,
        "under_earlier_rule": sorted(_by_system(scheme, dict.fromkeys(judgment.under_earlier_rule), name)),
        "ratings": sorted(
            (each.aspect, name[str(each.candidate)] if each.candidate else "", each.number or 0)
            for each in judgment.ratings.all()
        ),
        "cited": judgment.sentence_references.count(),
    }


def _by_system(scheme: Scheme, values: Mapping[str, Any], name: Mapping[str, str]) -> dict[str, Any]:
    best = {aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)}
    said = {}
    for key, value in values.items():
        aspect, _, number = key.partition(".")
        key = f"{aspect} of {name[number]}" if number in name else key
        said[key] = f"system {name[value]}" if key in best and value in name else value
    return said
