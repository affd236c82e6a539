"""What a token may be used for. Its owner's rights are the upper limit: a scope only ever takes away."""

from collections.abc import Iterable
from enum import StrEnum

from django.utils.translation import gettext_lazy


class Scope(StrEnum):
    """``MANAGE`` includes reading, and ``ADMIN`` includes managing; ``ANNOTATE`` stands beside them."""

    READ = "read"
    ANNOTATE = "annotate"
    MANAGE = "manage"
    ADMIN = "admin"


LABELS = {
    Scope.READ: gettext_lazy("Read studies: items, judgments, members, history"),
    Scope.ANNOTATE: gettext_lazy("Annotate: take tasks, keep drafts, submit judgments"),
    Scope.MANAGE: gettext_lazy("Read and manage: make studies, open and close batches, invite annotators"),
    Scope.ADMIN: gettext_lazy("All of that, and what only admins of a study may do"),
}
_INCLUDED = {
    Scope.READ: {Scope.READ},
    Scope.ANNOTATE: {Scope.ANNOTATE},
    Scope.MANAGE: {Scope.READ, Scope.MANAGE},
    Scope.ADMIN: {Scope.READ, Scope.MANAGE, Scope.ADMIN},
}
EVERY_SCOPE = frozenset(Scope)
NAMES = [str(scope) for scope in Scope]


def granted(scopes: Iterable[str]) -> frozenset[Scope]:
    """All that these scopes allow; names that are none allow nothing."""
    known = [Scope(name) for name in scopes if name in NAMES]
    return frozenset().union(*(_INCLUDED[scope] for scope in known))
