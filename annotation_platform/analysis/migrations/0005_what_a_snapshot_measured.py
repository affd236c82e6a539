import django.utils.timezone
from django.db import migrations, models
from django.db.models import F


def were_measured_when_they_were_made(apps, schema_editor):
    apps.get_model("analysis", "AgreementSnapshot").objects.update(measured_at=F("created_at"))


class Migration(migrations.Migration):
    dependencies = [("analysis", "0004_paper_bundles")]

    operations = [
        migrations.AddField(
            model_name="agreementsnapshot",
            name="runs",
            field=models.JSONField(help_text="By method, the finished runs that its figures are about.", null=True),
        ),
        migrations.AddField(
            model_name="agreementsnapshot",
            name="measured_at",
            field=models.DateTimeField(
                default=django.utils.timezone.now, help_text="When measuring last came to these very data."
            ),
        ),
        migrations.RunPython(were_measured_when_they_were_made, migrations.RunPython.noop),
    ]
