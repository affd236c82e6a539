import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0001_initial"), ("studies", "0004_items_have_questions")]

    operations = [
        migrations.AddField(
            model_name="annotation",
            name="presented",
            field=models.JSONField(blank=True, help_text="Candidates' numbers in the order shown.", null=True),
        ),
        migrations.AddField(
            model_name="annotation",
            name="scheme_version",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="annotations",
                to="studies.schemeversion",
            ),
        ),
        migrations.RemoveConstraint(model_name="rating", name="aspect_rated_once"),
        migrations.AddField(model_name="rating", name="candidate", field=models.PositiveSmallIntegerField(default=0)),
        migrations.AddConstraint(
            model_name="rating",
            constraint=models.UniqueConstraint(
                fields=("annotation", "aspect", "candidate", "choice"), name="label_given_once"
            ),
        ),
        migrations.RemoveConstraint(model_name="sentencereference", name="sentence_cited_once"),
        migrations.AddField(
            model_name="sentencereference", name="candidate", field=models.PositiveSmallIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="sentencereference",
            name="document",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="0: the article; k: the reference document Rk."
            ),
        ),
        migrations.AddConstraint(
            model_name="sentencereference",
            constraint=models.UniqueConstraint(
                fields=("annotation", "aspect", "candidate", "document", "number"), name="sentence_cited_once"
            ),
        ),
    ]
