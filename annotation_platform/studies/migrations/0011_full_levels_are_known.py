"""PostgreSQL counts places by number and state together, so that it knows where the first places of all tasks are full.

Without, it takes states to be spread alike over the numbers, and looks for a free first place at every task in vain.
"""

from django.db import migrations


def count(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("CREATE STATISTICS places_by_state (mcv) ON place, state FROM studies_assignment")


def forget(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP STATISTICS places_by_state")


class Migration(migrations.Migration):
    dependencies = [("studies", "0010_tasks_by_time")]

    operations = [migrations.RunPython(count, forget)]
