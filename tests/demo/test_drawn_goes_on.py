"""The demo's drawn part goes on where it was broken off."""

from unittest.mock import Mock

import pytest

from annotation_platform.accounts.views import DEMO_ROLES
from annotation_platform.annotations.models import Annotation
from annotation_platform.demo import drawn
from annotation_platform.demo.management.commands.prepare_demo import Command
from annotation_platform.studies.models import BatchState

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("step", ["start_run", "draw_and_open", "_judge"])
def test_what_was_broken_off_goes_on_at_the_next_start(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    users = {role: Command._user(role) for role in DEMO_ROLES}
    with monkeypatch.context() as patched:
        patched.setattr(drawn, step, Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            drawn.prepare_drawn(users=users)
    study = drawn.prepare_drawn(users=users)
    assert Annotation.objects.filter(item__study=study).count() == 2 * drawn.TASKS
    assert study.batches.filter(state=BatchState.CLOSED).count() == 1
    assert study.members.filter(user=users["researcher"]).exists()
