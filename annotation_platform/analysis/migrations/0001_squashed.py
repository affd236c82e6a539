import annotation_platform.accounts.reason_fields
import annotation_platform.analysis.models.snapshots
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('analysis', '0001_initial'),
        ('analysis', '0002_sections'),
        ('analysis', '0003_explorer'),
        ('analysis', '0004_paper_bundles'),
        ('analysis', '0005_what_a_snapshot_measured'),
        ('analysis', '0006_rows_of_files'),
        ('analysis', '0007_snapshots_outlive_runs'),
        ('analysis', '0008_fingerprints_of_sections'),
        ('analysis', '0009_jobs_of_studies'),
        ('analysis', '0010_errors_are_codes'),
        ('analysis', '0011_the_head_is_typed'),
    ]

    dependencies = [
        ('corpus', '0001_squashed'),
        ('scoring', '0001_squashed'),
        ('studies', '0001_squashed'),
    ]

    operations = [
        migrations.CreateModel(
            name='AgreementSnapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('data_signature', models.CharField(help_text='Of the judgments, by revision, and the run.', max_length=64)),
                ('signature', models.CharField(help_text='Of data, seed, resamples and code version.', max_length=64)),
                ('head', annotation_platform.analysis.models.snapshots.HeadField()),
                ('code_version', models.CharField(max_length=40)),
                ('runs', models.JSONField(help_text='By method, the finished runs that its figures are about.', null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('measured_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When measuring last came to these very data.')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='snapshots', to='scoring.scoringrun')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='studies.study')),
            ],
            options={
                'ordering': ['-pk'],
                'get_latest_by': 'pk',
            },
        ),
        migrations.CreateModel(
            name='ArticleCitations',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('aspect', models.CharField(max_length=40)),
                ('judgments', models.PositiveIntegerField(help_text='Of items that show the document.')),
                ('citations', models.PositiveIntegerField()),
                ('cited', models.PositiveIntegerField(help_text='Sentences that were cited at least once.')),
                ('coverage', models.FloatField(help_text='Share of its sentences; empty where its text is withheld.', null=True)),
                ('counts', models.JSONField(help_text='Sentence number to judgments that cite it.')),
                ('article', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='citations', to='corpus.article')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='article_citations', to='studies.study')),
            ],
        ),
        migrations.CreateModel(
            name='ExplorationJob',
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
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exploration_jobs', to='studies.study')),
            ],
            options={
                'ordering': ['-pk'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ExploredStudy',
            fields=[
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='explored', serialize=False, to='studies.study')),
                ('read_scheme', models.CharField(blank=True, help_text='Signature of the scheme under which.', max_length=64)),
                ('read_batches', models.JSONField(default=list, help_text='Numbers of the batches whose texts were read.')),
                ('explored_at', models.DateTimeField(auto_now=True)),
                ('judge_run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='scoring.scoringrun')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='analysis.agreementsnapshot')),
            ],
        ),
        migrations.CreateModel(
            name='ItemFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('aspect', models.CharField(max_length=40)),
                ('judgments', models.PositiveIntegerField()),
                ('mean', models.FloatField(help_text='Mean score; of labels that are not rescaled, their mean number.', null=True)),
                ('raw_disagreement', models.FloatField(null=True)),
                ('rescaled_disagreement', models.FloatField(null=True)),
                ('citation_distance', models.FloatField(help_text='Mean Jaccard distance of the sentences cited.', null=True)),
                ('judge_gap', models.FloatField(help_text="From the judge's label to people's mean, in scale lengths.", null=True)),
                ('judge_label', models.CharField(blank=True, help_text='Of the item as a whole.', max_length=40)),
                ('seen', models.CharField(blank=True, choices=[('same', 'Saw the same thing'), ('differently', 'See it differently')], max_length=12)),
                ('contrast', models.FloatField(help_text='How strongly it is seen so.', null=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='studies.item')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='item_figures', to='studies.study')),
            ],
        ),
        migrations.CreateModel(
            name='ItemFlag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('flag', models.CharField(choices=[('vacuous', 'an explanation that says nothing new'), ('suspicious', 'orders to a judging model'), ('unread', 'a reply without a readable label or score')], max_length=12)),
                ('count', models.PositiveIntegerField(default=1)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='flags', to='studies.item')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='item_flags', to='studies.study')),
            ],
        ),
        migrations.CreateModel(
            name='PaperBundle',
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
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='paper_bundles', to='studies.member')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='paper_bundles', to='analysis.agreementsnapshot')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='paper_bundles', to='studies.study')),
            ],
            options={
                'ordering': ['-pk'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SnapshotJob',
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
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshot_jobs', to='studies.study')),
            ],
            options={
                'ordering': ['-pk'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SnapshotSection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('aspect', models.CharField(blank=True, max_length=40)),
                ('key', models.CharField(max_length=40)),
                ('figures', models.JSONField(null=True)),
                ('fingerprint', models.CharField(db_index=True, default='', help_text='Of all that it was computed from; the same gives the same.', max_length=64)),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sections', to='analysis.agreementsnapshot')),
            ],
        ),
        migrations.AddConstraint(
            model_name='agreementsnapshot',
            constraint=models.UniqueConstraint(fields=('study', 'signature'), name='same_signature_same_snapshot'),
        ),
        migrations.AddIndex(
            model_name='articlecitations',
            index=models.Index(fields=['study', 'aspect', 'coverage', 'article'], name='articles_by_coverage'),
        ),
        migrations.AddConstraint(
            model_name='articlecitations',
            constraint=models.UniqueConstraint(fields=('study', 'aspect', 'article'), name='citations_once_of_article'),
        ),
        migrations.AddIndex(
            model_name='itemfigures',
            index=models.Index(fields=['study', 'aspect', 'raw_disagreement', 'item'], name='items_by_raw_disagreement'),
        ),
        migrations.AddIndex(
            model_name='itemfigures',
            index=models.Index(fields=['study', 'aspect', 'rescaled_disagreement', 'item'], name='items_by_rescaled'),
        ),
        migrations.AddIndex(
            model_name='itemfigures',
            index=models.Index(fields=['study', 'aspect', 'judge_gap', 'item'], name='items_by_judge_gap'),
        ),
        migrations.AddIndex(
            model_name='itemfigures',
            index=models.Index(fields=['study', 'aspect', 'mean', 'item'], name='items_by_mean'),
        ),
        migrations.AddIndex(
            model_name='itemfigures',
            index=models.Index(fields=['study', 'aspect', 'seen', 'contrast', 'item'], name='items_by_contrast'),
        ),
        migrations.AddConstraint(
            model_name='itemfigures',
            constraint=models.UniqueConstraint(fields=('item', 'aspect'), name='figures_once_of_item_and_aspect'),
        ),
        migrations.AddIndex(
            model_name='itemflag',
            index=models.Index(fields=['study', 'flag', 'item'], name='items_by_flag'),
        ),
        migrations.AddConstraint(
            model_name='itemflag',
            constraint=models.UniqueConstraint(fields=('item', 'flag'), name='flag_once_on_item'),
        ),
        migrations.AddConstraint(
            model_name='snapshotsection',
            constraint=models.UniqueConstraint(fields=('snapshot', 'aspect', 'key'), name='one_section_of_a_kind'),
        ),
    ]
