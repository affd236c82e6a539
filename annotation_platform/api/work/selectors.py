"""An annotator's tasks as the API gives them: by the same reads as the annotator's pages."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import get_language

from annotation_platform.accounts.language import in_language
from annotation_platform.annotations import selectors
from annotation_platform.annotations.forms import without_place
from annotation_platform.annotations.migrating import values_today
from annotation_platform.annotations.selectors import HeldAssignment, Waiting
from annotation_platform.api.items.turns import told_spoken, told_turns
from annotation_platform.core.items import ItemTexts


def waiting(user: Any) -> Iterator[Mapping[str, Any]]:
    """The studies that a user annotates, and what waits in each."""
    for each in selectors.studies_of(user, language()):
        yield _waiting(each)


def task(held: HeldAssignment) -> dict[str, Any]:
    """How a task stands."""
    assignment, study = held.assignment, held.assignment.hit.batch.study
    return {
        "id": assignment.pk,
        "study": study.slug,
        "title": assignment.hit.article.title or study.name,
        "state": assignment.state,
        "is_open": held.is_open,
        "lease_expires_at": assignment.lease_expires_at,
        "submitted_at": assignment.submitted_at,
        "scheme_signature": study.scheme_version.signature,
        "extensions": assignment.extensions,
        "holder": held.proof,
    }


def task_with_items(held: HeldAssignment) -> dict[str, Any]:
    """The same with all that the pages of its questions show."""
    study = held.assignment.hit.batch.study
    scheme = study.scheme(language())
    items = []
    for item in selectors.items_of(held):
        content = selectors.content_of(held, item)
        values = values_today(study, content)
        no_longer_asked = dict(without_place(scheme, values))
        shown = _shown(selectors.material_of(item, scheme, held.annotator), cites=scheme.cites_conversation)
        items.append(
            {
                "position": item.position,
                **shown,
                "is_judged": item.is_judged,
                "values": {key: value for key, value in values.items() if key not in no_longer_asked},
                "no_longer_asked": no_longer_asked,
                "draft_version": content.version,
                "seconds": content.seconds,
            }
        )
    return task(held) | {"items": items}


def language() -> str:
    """Of those that schemes may be written in."""
    return "ja" if (get_language() or "").startswith("ja") else "en"


def _waiting(each: Waiting) -> Mapping[str, Any]:
    return {
        "study": each.study.slug,
        "name": each.study.name,
        "description": each.description,
        "is_busy": each.is_busy,
        "tasks": each.hits,
        "refusal": in_language(each.refusal) if each.refusal else None,
    }


def _shown(texts: ItemTexts, *, cites: bool) -> dict[str, Any]:
    """``cites``: whether the scheme has sentences of the conversation cited."""
    documents = ([texts.article] if texts.article else []) + list(texts.documents)
    return {
        "question": texts.question,
        "turns": told_turns(texts.turns),
        "conversation": told_spoken(texts.question_turns) if cites else [],
        "choices": list(texts.choices),
        "reference_answers": list(texts.reference_answers),
        "documents": [
            {
                "number": each.number,
                "title": each.title,
                "sentences": list(each.sentences),
                "anchor": each.anchor,
            }
            for each in documents
        ],
        "answers": [
            {
                "number": each.number,
                "text": each.text,
                "rationale": each.rationale,
                "turns": told_turns(each.turns),
                "conversation": told_spoken(texts.turns_of(each.number)) if cites else [],
            }
            for each in texts.answers
        ],
    }
