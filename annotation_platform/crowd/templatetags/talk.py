"""What pages of other apps show of the topic: announcements, frequent questions, how much waits for an answer."""

from typing import Any

from django.template import Library
from django.utils.translation import get_language

from annotation_platform.crowd.talk.selectors import announcements_for, faq_of, words_to_answer
from annotation_platform.studies.models import Study

register = Library()
register.simple_tag(words_to_answer)


@register.inclusion_tag("crowd/talk/_announcements.html", takes_context=True)
def announcements(context: dict[str, Any], study: Study | None = None) -> dict[str, Any]:
    """What the reader has yet to put away, of one study or of all theirs."""
    request = context["request"]
    return {
        "announcements": list(announcements_for(request.user, study)),
        "is_of_one": study is not None,
        "back": request.get_full_path(),
        "csrf_token": context.get("csrf_token"),
    }


@register.inclusion_tag("crowd/talk/_faq.html")
def faq(study: Study) -> dict[str, Any]:
    """A study's frequent questions in the reader's language; in a round, those of the study it is for."""
    study = study.qualifies_for or study
    return {"faq": faq_of(study, get_language() or ""), "study": study}
