import annotation_platform.accounts.reason_fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('imports', '0001_initial'),
        ('imports', '0002_mistakes_are_codes'),
        ('imports', '0003_counts_with_codes'),
        ('imports', '0004_errors_are_codes'),
    ]

    dependencies = [
        ('corpus', '0001_squashed'),
        ('studies', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ImportJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
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
                ('files', models.JSONField(default=list, help_text='Names and sizes, in the order uploaded.')),
                ('target', models.CharField(choices=[('study', 'A study'), ('corpus', 'A corpus only')], default='study', max_length=10)),
                ('name', models.CharField(blank=True, help_text='Of the new study or corpus.', max_length=200)),
                ('format', models.CharField(max_length=20)),
                ('scheme', models.CharField(blank=True, help_text="A preset's key; empty: the file's or format's own.", max_length=40)),
                ('scheme_text', models.TextField(blank=True, help_text="A scheme of one's own, instead of a preset.")),
                ('language', models.CharField(default='en', max_length=8)),
                ('columns', models.JSONField(default=dict, help_text='Column to field, as chosen by hand.')),
                ('values', models.JSONField(default=dict, help_text='Column to what the file says there to what that stands for.')),
                ('sheet', models.CharField(blank=True, default='', help_text='Of a workbook; empty: the first one.', max_length=100)),
                ('overlap', models.PositiveSmallIntegerField(blank=True, help_text='Empty: what the file says or has.', null=True)),
                ('hits_per_batch', models.PositiveSmallIntegerField(blank=True, help_text='Empty: the usual size.', null=True)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('pending', 'Pending'), ('running', 'Running'), ('paused', 'Paused'), ('done', 'Done'), ('failed', 'Failed')], default='draft', max_length=10)),
                ('wanted', models.CharField(blank=True, choices=[('check', 'Check'), ('import', 'Import'), ('look', 'Look')], max_length=10)),
                ('first_rows', models.JSONField(blank=True, help_text='Of large files: what a preview needs of them, so that they are read once.', null=True)),
                ('found', annotation_platform.accounts.reason_fields.ReasonsField(blank=True, help_text='Counts, when the last check found nothing wrong.', null=True)),
                ('mistakes', annotation_platform.accounts.reason_fields.ReasonsField(default=list, help_text='The first of what the last check or import found wrong.')),
                ('mistake_count', models.PositiveIntegerField(default=0)),
                ('corpus', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='corpus.corpus')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='import_jobs', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='studies.study')),
            ],
            options={
                'ordering': ['-pk'],
                'abstract': False,
            },
        ),
    ]
