"""What the words of a release say of its study, kept as it was at the freeze."""

from typing import Any

from annotation_platform.studies.models import Item, Member, SetAside, Study


def facts_of(study: Study) -> dict[str, Any]:
    """``excluded``: annotators whose work counts no more; ``rejected``: pairs of annotator and item."""
    excluded = Member.objects.filter(study=study).exclude(excluded_at=None).order_by("pk")
    rejected = SetAside.objects.filter(
        annotator__study=study,
        kind=SetAside.Kind.REJECTED,
        restored_at=None,
        assignment__hit__items__in=Item.objects.all(),
    )
    pairs = rejected.order_by("annotator", "assignment__hit__items").values_list("annotator", "assignment__hit__items")
    return {
        "excluded": list(excluded.values_list("pk", flat=True)),
        "rejected": [list(pair) for pair in pairs.distinct()],
    }
