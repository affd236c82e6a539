"""What all parts of a person's own data share: whose rows they are, and how an item is named."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet

from annotation_platform.accounts.models import User
from annotation_platform.studies.models import Member

Rows = Iterator[dict[str, Any]]
ITEM = ("item__study__slug", "item__hit__batch__number", "item__hit__position", "item__position")
ITEM_NAMES = ("study", "batch", "task", "question")
CHUNK = 500


def memberships(user: User) -> QuerySet[Member]:
    """As whom a person is known in each study, also where they were removed."""
    return Member.objects.filter(Q(user=user) | Q(former_user=user))
