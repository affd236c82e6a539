"""What an entry of the ledger is for, and who made it, in its reader's language."""

from django.db.models import Q, Sum
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from annotation_platform.accounts.actors import ActorKind
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry
from annotation_platform.crowd.pay.money import told
from annotation_platform.crowd.pay.services.crediting import waiting_for_credit
from annotation_platform.studies.models import Assignment, Member, Study

ACTORS = {
    ActorKind.PERSON: gettext_lazy("person"),
    ActorKind.OPERATOR: gettext_lazy("operator"),
    ActorKind.WORKER: gettext_lazy("worker"),
}
"""What made an entry that no member of the study made."""


def by_whom(entry: LedgerEntry) -> str:
    """Who made an entry: the member, or what it was."""
    return str(entry.made_by or ACTORS[ActorKind(entry.actor_kind)])


def what_for(entry: LedgerEntry) -> str:
    """What an entry is for, as its member reads it."""
    if entry.reason:
        return entry.reason
    task = (entry.hit.article.title or _("a task")) if entry.hit else ""
    match entry.kind:
        case EntryKind.REWARD if entry.before:
            return _("%(task)s: finished, the rest of the reward") % {"task": task}
        case EntryKind.REWARD:
            return task
        case EntryKind.PARTIAL:
            return _("%(task)s: for the questions that were done (%(items)s)") % {"task": task, "items": entry.items}
        case EntryKind.BONUS if entry.batch:
            return _("On your rewards in batch %(number)s") % {"number": entry.batch.number}
        case EntryKind.PAYMENT if entry.line:
            return _("Payment %(number)s") % {"number": entry.line.run.number}
    return ""


def earned(member: Member) -> str:
    """What somebody has earned in a study and its rounds so far; empty where no pay was agreed."""
    paying = Study.objects.filter(Q(pk=member.study_id) | Q(qualifies_for=member.study_id), pay_terms__isnull=False)
    if not paying.exists():
        return ""
    who = [member.pk, *member.in_rounds().values_list("pk", flat=True)]
    entries = LedgerEntry.objects.filter(member__in=who).credits().order_by()
    sums = entries.values_list("currency").annotate(sum=Sum("amount")).order_by("currency")
    amounts = [told(amount, currency, get_language() or "en") for currency, amount in sums]
    places = Assignment.objects.filter(annotator__in=who, hit__batch__study__in=paying)
    waiting = waiting_for_credit(places).count()
    words = _("You have earned %(amount)s here so far.") % {"amount": " + ".join(amounts)}
    if not amounts:
        words = _("Nothing is credited to you here so far.")
    if waiting:
        more = ngettext(
            "%(count)s task of yours is still to be approved.",
            "%(count)s tasks of yours are still to be approved.",
            waiting,
        )
        words = f"{words} {more % {'count': waiting}}"
    return words
