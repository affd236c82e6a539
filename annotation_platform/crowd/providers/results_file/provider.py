"""*Results file* as one of the providers."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy, ngettext

from annotation_platform.crowd.providers.contract import Provider, Standing
from annotation_platform.crowd.providers.results_file.models import ImportedWork, ResultsFile
from annotation_platform.crowd.providers.results_file.services import KEY
from annotation_platform.studies.models import Member, Study


def standing(study: Study) -> Standing:
    files = ResultsFile.objects.filter(study=study).count()
    people = ImportedWork.objects.filter(file__study=study, member__isnull=False).values("member").distinct().count()
    note = ngettext("%(count)s file read", "%(count)s files read", files) % {"count": files}
    return Standing(people, False, note)


def brought(members: Sequence[Member]) -> set[int]:
    found = ImportedWork.objects.filter(member__in=members).values_list("member", flat=True)
    return {pk for pk in found if pk is not None}


RESULTS_FILE = Provider(
    key=KEY,
    title=gettext_lazy("Results file"),
    about=gettext_lazy(
        "What a marketplace gave out about a batch of long ago, as a study: workers, times, answers, approvals."
    ),
    page="imported_work",
    standing=standing,
    brought=brought,
    knows_people=True,
)
