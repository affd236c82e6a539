"""What pages say of batches."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

register = template.Library()
KNOWN = {
    gettext_noop("all assignments submitted"),
    gettext_noop("deadline reached"),
    gettext_noop("deadline reached, those at work had finished"),
    gettext_noop("imported"),
    gettext_noop("the round has ended"),
}
BY, AFTER = "by ", ", after those at work"


@register.filter
def closing(because: str) -> str:
    """Why a batch closed, which is kept in English, in the page's language."""
    if because in KNOWN:
        return _(because)
    if not because.startswith(BY):
        return because
    name = because.removeprefix(BY).removesuffix(AFTER)
    return (_("by %(name)s, after those at work") if because.endswith(AFTER) else _("by %(name)s")) % {"name": name}
