from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0006_second_readings"),
    ]

    operations = [
        migrations.AddField(
            model_name="scoringrun",
            name="is_outdated",
            field=models.BooleanField(
                default=False,
                help_text="The scheme has given a key of its labels to something else since; it counts in no figure.",
            ),
        ),
    ]
