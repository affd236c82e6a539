import annotation_platform.accounts.reason_fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('releases', '0001_initial'),
        ('releases', '0002_rows_of_files'),
        ('releases', '0003_exports_of_all_revisions'),
        ('releases', '0004_one_job_row'),
        ('releases', '0005_errors_are_codes'),
        ('releases', '0006_consensus_labels'),
    ]

    dependencies = [
        ('studies', '0001_squashed'),
    ]

    operations = [
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('pending', 'Pending'), ('running', 'Running'), ('paused', 'Paused'), ('done', 'Done'), ('failed', 'Failed')], default='pending', max_length=10)),
                ('worker', models.CharField(blank=True, help_text='The claim that holds the row.', max_length=200)),
                ('heartbeat_at', models.DateTimeField(blank=True, default=django.utils.timezone.now, help_text='When its worker, or while it is pending its message, was last heard of.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='How often it was claimed since it was last given back in good order.')),
                ('pause_asked', models.BooleanField(default=False, help_text='Somebody asked its worker to pause.')),
                ('total', models.PositiveIntegerField(default=0, help_text='Steps: judgments, rows, charts.')),
                ('done', models.PositiveIntegerField(default=0, help_text='Steps done so far.')),
                ('error', annotation_platform.accounts.reason_fields.ReasonField(blank=True, help_text='Why it failed or was paused.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('size', models.PositiveBigIntegerField(default=0)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('format', models.CharField(choices=[('csv', 'CSV'), ('spreadsheet', 'CSV for spreadsheets'), ('jsonl', 'JSON Lines'), ('parquet', 'Parquet'), ('consensus', 'Consensus labels')], max_length=20)),
                ('all_revisions', models.BooleanField(default=False, help_text='Also those that a newer one replaced.')),
                ('filename', models.CharField(blank=True, max_length=200)),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to='studies.member')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exports', to='studies.study')),
            ],
            options={
                'ordering': ['-pk'],
                'abstract': False,
            },
        ),
    ]
