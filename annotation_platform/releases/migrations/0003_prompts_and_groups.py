from django.db import migrations, models


class Migration(migrations.Migration):
    """Releases that are there have no file of prompts, and new ones do."""

    dependencies = [("releases", "0002_releases")]

    operations = [
        migrations.AddField("release", "with_prompts", models.BooleanField(default=False)),
        migrations.AlterField(
            "release",
            "with_prompts",
            models.BooleanField(
                default=True, help_text="Also what language models were asked, with the texts that they were shown."
            ),
        ),
        migrations.AlterField(
            "finding",
            "times",
            models.PositiveIntegerField(
                default=1, help_text="In how many judgments; of groups: how many annotators."
            ),
        ),
        migrations.AlterField(
            "finding",
            "kind",
            models.CharField(
                choices=[
                    ("email", "An e-mail address"),
                    ("phone", "A telephone number"),
                    ("web", "A web address"),
                    ("platform_id", "An identifier of a crowd platform"),
                    ("account", "The name or address of an account"),
                    ("pseudonym", "An annotator's pseudonym in the study"),
                    ("few", "So few annotators that each can be told by those who know them"),
                    ("group", "Annotators whom fewer than five resemble"),
                ],
                max_length=20,
            ),
        ),
    ]
