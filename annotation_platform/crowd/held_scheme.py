"""A study's scheme, held while something that goes by its keys is stored."""

from annotation_platform.core.errors import ConflictError
from annotation_platform.studies.models import Study


def hold_scheme(study: Study, *, made_under: str = "") -> None:
    """Have a study keep the version of its scheme until the transaction ends; a migration under way is waited for.

    ``made_under``: the signature of the version that a form was made from, where it says so.

    Raises
    ------
    ConflictError
        When that is another version, whose aspects and choices may have other keys.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    refuse_other_scheme(study, made_under)


def refuse_other_scheme(study: Study, made_under: str) -> None:
    """The same for whoever holds a row that a migration of the scheme changes, too, and would wait for.

    Raises
    ------
    ConflictError
        See :func:`hold_scheme`.
    """
    study.refresh_from_db(fields=["scheme_version"])
    if made_under and made_under != study.scheme_version.signature:
        raise ConflictError("crowd.scheme_changed_meanwhile")
