"""What the topics of a study's crowd start from: the study, and as whom one is there."""

from collections.abc import Sequence

from django.http import QueryDict
from rest_framework.request import Request

from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.text import typed_number
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader

LONGEST_NUMBER = 18  # digits, as keys of rows have


def as_researcher(request: Request, slug: str) -> tuple[Study, Member]:
    """
    Raises
    ------
    NotThereError
        For everybody but the study's researchers and admins.
    """
    study = study_for_reader(request.user, slug)
    return study, membership(request.user, study, Role.RESEARCHER, Role.ADMIN)


def one_of(request: Request, name: str, known: Sequence[str], *, usual: str = "") -> str:
    """What the address says of a choice; ``usual`` where it says nothing.

    Raises
    ------
    InvalidInputError
        When it is none of them: as if it were not there, a program would not notice.
    """
    query: QueryDict = request.query_params
    asked: str = query.get(name, "") or usual
    if asked and asked not in known:
        raise InvalidInputError("api.choice_wrong", field=name, known=list(known))
    return asked


def number_in(request: Request, name: str) -> int | None:
    """The whole number that the address says; None: it says none.

    Raises
    ------
    InvalidInputError
        When it is no number that a row could have.
    """
    asked = request.query_params.get(name, "")
    if not asked:
        return None
    if (number := typed_number(asked)) is None or len(asked) > LONGEST_NUMBER:
        raise InvalidInputError("api.number_wrong", field=name, most=LONGEST_NUMBER)
    return number


def annotator_named(request: Request, study: Study) -> Member | None:
    """The annotator whose key ``?annotator=`` is; None: of everybody.

    Raises
    ------
    NotThereError
        When the study has none of this key.
    """
    asked = request.query_params.get("annotator", "")
    if not asked:
        return None
    found = study.members.filter(role=Role.ANNOTATOR, pk=typed_number(asked) or 0).first()
    if found is None:
        raise NotThereError("studies.no_member")
    return found
