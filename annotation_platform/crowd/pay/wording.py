"""What an entry of the ledger is for, in its reader's language."""

from django.utils.translation import gettext as _

from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry


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
