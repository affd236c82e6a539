"""Places filled elsewhere had the time of their import as the time of submission; it is not known when that was."""

from django.db import migrations
from django.db.models import F


def forget_times_of_imports(apps, schema_editor):
    """Nobody took these places, and a time that a file gave lies before its study was made."""
    places = apps.get_model("studies", "Assignment").objects.filter(state="submitted", claimed_at=None)
    places.filter(submitted_at__gte=F("hit__batch__study__created_at")).update(submitted_at=None)


class Migration(migrations.Migration):
    dependencies = [
        ("studies", "0011_adoptions_under_way"),
    ]

    operations = [
        migrations.RunPython(forget_times_of_imports, migrations.RunPython.noop, elidable=True),
    ]
