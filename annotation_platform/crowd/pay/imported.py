"""Work that came from a file: others have paid for it, or nobody."""

from django.db.models import Q

from annotation_platform.studies.models import Member

IMPORTED = Q(annotator__user=None, annotator__former_user=None, annotator__removed_at=None)
"""Of assignments: their annotator is a name from a file, to whom nobody promised anything here."""


def is_imported(annotator: Member) -> bool:
    """Whether an annotator is a name from a file, as it stands in the database now."""
    return Member.objects.filter(pk=annotator.pk, user=None, former_user=None, removed_at=None).exists()
