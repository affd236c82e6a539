from django.db import migrations


class Migration(migrations.Migration):
    """The rows of imports belong to the app ``imports`` from here on: their table is renamed, and keeps them."""

    dependencies = [
        ('scoring', '0018_first_rows_of_large_files'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.AlterModelTable('ImportJob', 'imports_importjob')],
            state_operations=[migrations.DeleteModel('ImportJob')],
        ),
    ]
