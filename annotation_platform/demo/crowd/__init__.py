"""The demo's study that a crowd judges: set up, worked on and paid by the services that the pages call."""

from collections.abc import Mapping

from django.db import transaction

from annotation_platform.accounts.models import User
from annotation_platform.demo.crowd import after, setting_up, work
from annotation_platform.studies.models import Study

NAME = "Crowd at the quay"


@transaction.atomic
def prepare_crowd(*, source: Study, users: Mapping[str, User]) -> None:
    """Make the study of a sample's corpus, all of it or nothing; what is there already stays.

    The people of the crowd say of each answer what somebody said of it in the sample.

    Parameters
    ----------
    source
        The sample: it gives corpus, scheme and opinions.
    users
        Role → the demo's account.
    """
    if Study.objects.filter(name=NAME).exists():
        return
    crowd = setting_up.make(name=NAME, source=source, users=users)
    opinions = work.Opinions(source)
    work.qualify(crowd)
    work.do_first_batch(crowd, opinions)
    after.pay_first_batch(crowd)
    work.begin_second_batch(crowd, opinions)
    after.review(crowd)
    after.talk(crowd)
