from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("analysis", "0002_runs_of_every_snapshot"),
    ]

    operations = [
        migrations.AlterField(
            model_name="agreementsnapshot",
            name="runs",
            field=models.JSONField(
                help_text="By method, the finished runs that its figures are about; null: not known, as of old ones.",
                null=True,
            ),
        ),
    ]
