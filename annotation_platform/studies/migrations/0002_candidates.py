import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_reference_documents_choices_rationales"), ("studies", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="study",
            name="gives_hints",
            field=models.BooleanField(
                default=True,
                help_text="Whether the page asks for more when an explanation only restates the label.",
            ),
        ),
        migrations.RemoveConstraint(model_name="item", name="answer_once_in_study"),
        migrations.AddField(
            model_name="item",
            name="question",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="items", to="corpus.question"
            ),
        ),
        migrations.CreateModel(
            name="Candidate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField(default=1)),
                (
                    "answer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="candidacies", to="corpus.answer"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="candidates", to="studies.item"
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="candidates", to="studies.study"
                    ),
                ),
            ],
            options={
                "ordering": ["item", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("study", "answer"), name="answer_once_in_study"),
                    models.UniqueConstraint(fields=("item", "number"), name="candidate_number_once_in_item"),
                ],
            },
        ),
    ]
