import annotation_platform.accounts.reason_fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('annotations', '0001_initial'),
        ('annotations', '0002_candidates_and_scheme_versions'),
        ('annotations', '0003_judgments_have_their_studys_scheme'),
        ('annotations', '0004_scheme_version_required'),
        ('annotations', '0005_hints'),
        ('annotations', '0006_carried_from'),
        ('annotations', '0007_words_about_a_question'),
        ('annotations', '0008_answers_under_earlier_rules'),
        ('annotations', '0009_scheme_migrations'),
        ('annotations', '0010_errors_are_codes'),
        ('annotations', '0011_words_about_migrations'),
    ]

    dependencies = [
        ('studies', '0001_squashed'),
    ]

    operations = [
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveSmallIntegerField(default=1)),
                ('is_current', models.BooleanField(default=True)),
                ('values', models.JSONField()),
                ('presented', models.JSONField(blank=True, help_text="Candidates' numbers in the order shown.", null=True)),
                ('seconds', models.FloatField(blank=True, help_text='Time on task while the page was in view.', null=True)),
                ('submission_id', models.UUIDField(blank=True, help_text="The form's own mark.", null=True, unique=True)),
                ('created_at', models.DateTimeField(help_text='When it was judged; one that repeats another keeps its time.')),
                ('under_earlier_rule', models.JSONField(blank=True, default=list, help_text='Keys of values that were migrated although this version of the scheme would not accept them.')),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='studies.member')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='studies.assignment')),
                ('carried_from', models.ForeignKey(blank=True, db_index=False, help_text='The revision under an earlier version of the scheme, or in another place, that this repeats.', null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='carried_to', to='annotations.annotation')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='studies.item')),
                ('scheme_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='studies.schemeversion')),
            ],
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('values', models.JSONField()),
                ('seconds', models.FloatField(default=0)),
                ('version', models.PositiveIntegerField(default=1)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='studies.member')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='studies.item')),
            ],
        ),
        migrations.CreateModel(
            name='Hint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('aspect', models.CharField(max_length=40)),
                ('candidate', models.PositiveSmallIntegerField(default=0)),
                ('text', models.TextField()),
                ('reason', models.CharField(max_length=40)),
                ('score', models.FloatField(help_text='How much the text said, in new words.')),
                ('shown_at', models.DateTimeField(auto_now_add=True)),
                ('dismissed_at', models.DateTimeField(blank=True, null=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hints', to='studies.member')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hints', to='studies.item')),
            ],
            options={
                'ordering': ['shown_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(max_length=5000)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='studies.assignment')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='messages', to='studies.member')),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='studies.item')),
            ],
            options={
                'ordering': ['created_at'],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('aspect', models.CharField(max_length=40)),
                ('candidate', models.PositiveSmallIntegerField(default=0)),
                ('choice', models.CharField(max_length=40)),
                ('number', models.FloatField(null=True)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='annotations.annotation')),
            ],
        ),
        migrations.CreateModel(
            name='SchemeMigration',
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
                ('wanted', models.CharField(choices=[('count', 'Count'), ('migrate', 'Migrate')], max_length=10)),
                ('text', models.TextField(help_text='The edited scheme, as it was typed.')),
                ('renamings', models.TextField(blank=True, help_text='As they were typed, one a line.')),
                ('counts', models.JSONField(blank=True, help_text='What was migrated, or would be.', null=True)),
                ('reasons', models.JSONField(blank=True, default=list, help_text='Why it failed, to be told in any language.')),
                ('after', models.ForeignKey(blank=True, help_text='The new version, from the moment on from which judgments are migrated to it.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.schemeversion')),
                ('before', models.ForeignKey(help_text="The study's version at that time.", on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.schemeversion')),
                ('requested_by', models.ForeignKey(blank=True, help_text='Empty: a command.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.member')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scheme_migrations', to='studies.study')),
            ],
            options={
                'ordering': ['-pk'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SentenceReference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('aspect', models.CharField(max_length=40)),
                ('candidate', models.PositiveSmallIntegerField(default=0)),
                ('document', models.PositiveSmallIntegerField(default=0, help_text='0: the article; k: the reference document Rk.')),
                ('number', models.PositiveIntegerField()),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sentence_references', to='annotations.annotation')),
            ],
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('assignment', 'item'), name='one_current_judgment_per_place'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(fields=('assignment', 'item', 'annotator', 'revision'), name='revision_once'),
        ),
        migrations.AddConstraint(
            model_name='draft',
            constraint=models.UniqueConstraint(fields=('annotator', 'item'), name='one_draft_per_item'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.UniqueConstraint(fields=('annotation', 'aspect', 'candidate', 'choice'), name='label_given_once'),
        ),
        migrations.AddConstraint(
            model_name='schememigration',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('pending', 'running'))), fields=('study',), name='one_scheme_migration_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='sentencereference',
            constraint=models.UniqueConstraint(fields=('annotation', 'aspect', 'candidate', 'document', 'number'), name='sentence_cited_once'),
        ),
    ]
