import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0003_answers_become_candidates")]

    operations = [
        migrations.RemoveField(model_name="item", name="answer"),
        migrations.AlterField(
            model_name="item",
            name="question",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="items", to="corpus.question"
            ),
        ),
    ]
