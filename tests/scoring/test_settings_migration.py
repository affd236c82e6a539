"""What studies scored with when their settings were columns of theirs is still so, forth and back."""

from decimal import Decimal

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation_platform.scoring.models import ScoringSettings
from annotation_platform.studies.models import Study
from tests.factories import make_corpus, make_study

BEFORE = [("scoring", "0024_errors_are_codes"), ("studies", "0015_migrations_of_schemes_are_jobs")]
CHOSEN = {"scorer": "openai", "connection": "Ours", "prompt_template": "Rate: {{ explanation }}", "budget": Decimal(20)}


@pytest.mark.django_db(transaction=True)
def test_what_a_study_chose_moves_forth_and_back() -> None:
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()
    chosen, usual = make_study(**CHOSEN), make_study(corpus=make_corpus())
    try:
        executor.migrate(BEFORE)
        columns = executor.loader.project_state(BEFORE).apps.get_model("studies", "Study")._base_manager
        names = ("scorer", "scoring_connection", "prompt_template", "scoring_budget")
        assert columns.values_list(*names).get(pk=chosen.pk) == tuple(CHOSEN.values())
        assert columns.values_list(*names).get(pk=usual.pk) == ("distilled", "", "", None)
        columns.filter(pk=usual.pk).update(scoring_budget=Decimal("0.5"))
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(latest)
    assert ScoringSettings.objects.values(*CHOSEN).get(study=chosen.pk) == CHOSEN
    found = ScoringSettings.of(Study.objects.get(pk=usual.pk))
    assert (found.scorer, found.budget) == ("distilled", Decimal("0.5"))
