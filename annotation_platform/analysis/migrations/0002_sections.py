"""Every section of a snapshot gets a row of its own, so that pages load only what they show."""

import django.db.models.deletion
from django.db import migrations, models

HEAD = ("aspect", "title", "per", "level", "labels", "best_label", "better", "is_rescaled", "rescaled_undefined_because")


def take_apart(apps, schema_editor):
    snapshot_rows = apps.get_model("analysis", "AgreementSnapshot").objects
    sections = apps.get_model("analysis", "SnapshotSection").objects
    for snapshot in snapshot_rows.iterator():
        aspects = snapshot.head["aspects"]
        for aspect in aspects:
            # Older snapshots measured nothing but what is compared before and after.
            aspect.setdefault("is_rescaled", True)
            for setting, tau in aspect["pairwise_tau"].items():
                aspect[f"pairs_{setting}"] = tau.pop("pairs")
            for key in [key for key in aspect if key not in HEAD]:
                sections.create(snapshot=snapshot, aspect=aspect["aspect"], key=key, figures=aspect.pop(key))
            aspect.setdefault("per", "item")
            aspect.setdefault("better", None)
        for aspect in snapshot.head["headline"]["aspects"]:
            aspect.setdefault("is_rescaled", True)
        snapshot.save(update_fields=["head"])


def put_together(apps, schema_editor):
    for snapshot in apps.get_model("analysis", "AgreementSnapshot").objects.iterator():
        by_aspect = {aspect["aspect"]: aspect for aspect in snapshot.head["aspects"]}
        for section in snapshot.sections.exclude(aspect=""):
            by_aspect[section.aspect][section.key] = section.figures
        for aspect in by_aspect.values():
            for setting, tau in aspect["pairwise_tau"].items():
                tau["pairs"] = aspect.pop(f"pairs_{setting}")
        snapshot.save(update_fields=["head"])


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0001_initial"),
    ]

    operations = [
        migrations.RenameField("agreementsnapshot", "figures", "head"),
        migrations.CreateModel(
            name="SnapshotSection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("aspect", models.CharField(blank=True, max_length=40)),
                ("key", models.CharField(max_length=40)),
                ("figures", models.JSONField(null=True)),
                (
                    "snapshot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sections",
                        to="analysis.agreementsnapshot",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("snapshot", "aspect", "key"), name="one_section_of_a_kind")
                ],
            },
        ),
        migrations.RunPython(take_apart, put_together),
    ]
