import django.db.models.deletion
import django.utils.timezone
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import annotation_platform.accounts.reason_fields


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """What was compared so far is done, and belongs to the study of its releases."""
    for each in apps.get_model("releases", "Comparison").objects.select_related("after"):
        each.study_id, each.status, each.finished_at = each.after.study_id, "done", django.utils.timezone.now()
        each.save()


class Migration(migrations.Migration):
    dependencies = [("releases", "0008_packings")]

    operations = [
        migrations.AlterModelOptions(name="comparison", options={"ordering": ["-pk"]}),
        migrations.AddField("comparison", "study", models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="studies.study")),
        migrations.AlterField("comparison", "found", models.JSONField(blank=True, default=dict)),
        migrations.AddField("comparison", "status", models.CharField(choices=[("draft", "Draft"), ("pending", "Pending"), ("running", "Running"), ("paused", "Paused"), ("done", "Done"), ("failed", "Failed")], default="pending", max_length=10)),
        migrations.AddField("comparison", "worker", models.CharField(blank=True, default="", help_text="The claim that holds the row.", max_length=200), preserve_default=False),
        migrations.AddField("comparison", "heartbeat_at", models.DateTimeField(blank=True, default=django.utils.timezone.now, help_text="When its worker, or while it is pending its message, was last heard of.", null=True)),
        migrations.AddField("comparison", "attempts", models.PositiveSmallIntegerField(default=0, help_text="How often it was claimed since it was last given back in good order.")),
        migrations.AddField("comparison", "pause_asked", models.BooleanField(default=False, help_text="Somebody asked its worker to pause.")),
        migrations.AddField("comparison", "total", models.PositiveIntegerField(default=0, help_text="Steps: judgments, rows, charts.")),
        migrations.AddField("comparison", "done", models.PositiveIntegerField(default=0, help_text="Steps done so far.")),
        migrations.AddField("comparison", "error", annotation_platform.accounts.reason_fields.ReasonField(blank=True, default="", help_text="Why it failed or was paused."), preserve_default=False),
        migrations.AddField("comparison", "created_at", models.DateTimeField(auto_now_add=True, default=django.utils.timezone.now), preserve_default=False),
        migrations.AddField("comparison", "started_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("comparison", "finished_at", models.DateTimeField(blank=True, null=True)),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField("comparison", "study", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="studies.study")),
    ]
