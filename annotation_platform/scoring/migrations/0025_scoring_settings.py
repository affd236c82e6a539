"""Scoring settings move out of the studies into a row of their own, which only those have that chose something."""

import django.db.models.deletion
from django.db import migrations, models

FIELDS = {
    "scorer": "scorer",
    "connection": "scoring_connection",
    "prompt_template": "prompt_template",
    "budget": "scoring_budget",
}
DEFAULTS = {"scorer": "distilled", "scoring_connection": "", "prompt_template": "", "scoring_budget": None}


def copy_to_rows(apps, schema_editor):
    studies = apps.get_model("studies", "Study")._base_manager.exclude(**_as_filter(DEFAULTS))
    apps.get_model("scoring", "ScoringSettings").objects.bulk_create(
        apps.get_model("scoring", "ScoringSettings")(
            study_id=each["pk"], **{new: each[old] for new, old in FIELDS.items()}
        )
        for each in studies.values("pk", *FIELDS.values())
    )


def copy_back(apps, schema_editor):
    studies = apps.get_model("studies", "Study")._base_manager
    for row in apps.get_model("scoring", "ScoringSettings").objects.values("study_id", *FIELDS):
        studies.filter(pk=row["study_id"]).update(**{old: row[new] for new, old in FIELDS.items()})


def _as_filter(values):
    return {f"{name}__isnull" if value is None else name: True if value is None else value for name, value in values.items()}


class Migration(migrations.Migration):

    dependencies = [
        ("scoring", "0024_errors_are_codes"),
        ("studies", "0015_migrations_of_schemes_are_jobs"),
    ]

    operations = [
        migrations.CreateModel(
            name="ScoringSettings",
            fields=[
                ("study", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="scoring_settings", serialize=False, to="studies.study")),
                ("scorer", models.CharField(default="distilled", help_text="Who reads the explanations when a batch closes.", max_length=20)),
                ("connection", models.CharField(blank=True, help_text="Name of the model connection that its own scorer uses; empty: the server's environment.", max_length=80)),
                ("prompt_template", models.TextField(blank=True, help_text="The study's own prompt; empty: the platform's.")),
                ("budget", models.DecimalField(blank=True, decimal_places=4, help_text="US dollars that all scoring runs together may cost; empty: no limit.", max_digits=12, null=True)),
            ],
            options={"verbose_name_plural": "scoring settings"},
        ),
        migrations.RunPython(copy_to_rows, copy_back),
    ]
