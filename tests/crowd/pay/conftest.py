"""A study that pays $2 a task, an annotator and an admin of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from annotation_platform.studies.models import Member, Study


@pytest.fixture
def study(db: None) -> Study:
    from tests.crowd.pay.paying import paying_study  # models can be imported once Django is set up

    return paying_study()


@pytest.fixture
def annotator(study: Study) -> Member:
    from tests.factories import MemberFactory

    return MemberFactory(study=study, pseudonym="A")


@pytest.fixture
def admin(study: Study) -> Member:
    from annotation_platform.studies.models import Role
    from tests.factories import MemberFactory

    return MemberFactory(study=study, role=Role.ADMIN, pseudonym="Boss")
