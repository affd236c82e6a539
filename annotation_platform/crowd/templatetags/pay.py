"""Money and pay on pages."""

from django import template
from django.utils.translation import get_language

from annotation_platform.crowd.pay.models import PayTerms
from annotation_platform.crowd.pay.money import plain, told
from annotation_platform.crowd.pay.terms import terms_of, versions_of
from annotation_platform.crowd.pay.wording import by_whom, what_for
from annotation_platform.studies.models import Assignment, Study

register = template.Library()


@register.filter
def money(amount: int | None, currency: str) -> str:
    """An amount of a currency's smallest unit in the reader's language."""
    return "–" if amount is None else told(amount, currency, get_language() or "en")


@register.filter
def plain_money(amount: int | None, currency: str) -> str:
    """The same as somebody would type it."""
    return "" if amount is None else plain(amount, currency)


@register.simple_tag
def pay_terms(study: Study) -> PayTerms | None:
    """What a study pays now; None where nothing was agreed."""
    return terms_of(study)


@register.simple_tag
def promised(assignment: Assignment, study: Study) -> PayTerms | None:
    """What was promised when a task was taken."""
    versions = versions_of(study.pk)
    return None if versions is None else versions.of(assignment)


register.filter(by_whom)
register.filter(what_for)
