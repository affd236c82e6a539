"""A study with open places, and an annotator who holds one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from annotation_platform.studies.models import Study
    from tests.annotations.desk import Desk


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Once for the tests of a module, of which each undoes what it does with it."""
    from tests.factories import make_corpus, open_study  # models can be imported once Django is set up

    return open_study(corpus=make_corpus(questions=3, sentences=8), overlap=2)


@pytest.fixture
def desk(study: Study) -> Desk:
    from tests.annotations.desk import sit_down

    return sit_down(study)
