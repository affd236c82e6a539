"""The event of a study that gets another version of its scheme is called by the platform's one word for that."""

from django.db import migrations

BEFORE, AFTER = "study.scheme_adopted", "study.scheme_migrated"


def rename(apps, schema_editor):
    apps.get_model("accounts", "Event").objects.filter(verb=BEFORE).update(verb=AFTER)


def rename_back(apps, schema_editor):
    apps.get_model("accounts", "Event").objects.filter(verb=AFTER).update(verb=BEFORE)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_events"),
    ]

    operations = [
        migrations.RunPython(rename, rename_back, elidable=True),
    ]
