from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("releases", "0009_comparisons_are_jobs")]

    operations = [
        migrations.AddField("release", "participant_columns", models.JSONField(blank=True, default=list, help_text="Of Prolific's file of participants, what is said of annotators.")),
        migrations.AlterField("finding", "text", models.CharField(max_length=700)),
    ]
