"""A study as commands are given it: by its name."""

from django.core.management.base import CommandError

from annotation_platform.accounts.management.tables import require_tables
from annotation_platform.studies.models import Study


def study_named(name: str) -> Study:
    """The study of this name; where there is none, the command ends with the names that there are."""
    require_tables()
    study = Study.objects.select_related("scheme_version").filter(name=name).first()
    if study is None:
        known = ", ".join(f"“{known}”" for known in Study.objects.values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no study named “{name}”. Studies: {known}.")
    return study
