from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0005_scoring_budget")]

    operations = [
        migrations.RemoveIndex(model_name="assignment", name="assignment_by_annotator"),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["annotator", "state", "submitted_at"], name="assignment_by_annotator"),
        ),
    ]
