import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("analysis", "0006_rows_of_files"), ("scoring", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="agreementsnapshot",
            name="run",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="snapshots",
                to="scoring.scoringrun",
            ),
        ),
    ]
