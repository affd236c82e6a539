"""*Prolific* as one of the providers."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation_platform.crowd.providers.contract import Provider, Standing
from annotation_platform.crowd.providers.prolific.connecting import connection_for
from annotation_platform.crowd.providers.prolific.models import ProviderCall, Submission
from annotation_platform.crowd.providers.prolific.visits import KEY
from annotation_platform.studies.models import Member, Study


def standing(study: Study) -> Standing:
    connection = connection_for(study)
    if connection is None:
        return Standing(0, False, _("not connected"))
    people = Submission.objects.filter(connection=connection).values("member").distinct().count()
    unclear = connection.calls.filter(state=ProviderCall.State.UNCLEAR).count()
    to_settle = ngettext("%(count)s order to settle", "%(count)s orders to settle", unclear) % {"count": unclear}
    note = to_settle if unclear else _("connected")
    return Standing(people, connection.is_open, note)


def brought(members: Sequence[Member]) -> set[int]:
    return set(Submission.objects.filter(member__in=members).values_list("member", flat=True))


PROLIFIC = Provider(
    key=KEY,
    title="Prolific",
    about=gettext_lazy(
        "People come by the study's address there and go back by a code. Approving and bonuses go through its API."
    ),
    page="prolific",
    standing=standing,
    brought=brought,
    knows_people=True,
)
