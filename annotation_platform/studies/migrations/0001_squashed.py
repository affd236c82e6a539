import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('studies', '0001_initial'),
        ('studies', '0002_candidates'),
        ('studies', '0003_answers_become_candidates'),
        ('studies', '0004_items_have_questions'),
        ('studies', '0005_scoring_budget'),
        ('studies', '0006_places_by_time'),
        ('studies', '0007_scoring_connection'),
        ('studies', '0008_batches_that_finish_and_archived_studies'),
        ('studies', '0009_invitations_and_former_members'),
        ('studies', '0010_studies_that_are_arriving'),
        ('studies', '0011_adoptions_under_way'),
        ('studies', '0012_no_times_of_imports'),
        ('studies', '0013_members_outlive_accounts'),
        ('studies', '0014_changes_of_overlap_under_way'),
        ('studies', '0015_migrations_of_schemes_are_jobs'),
        ('studies', '0016_scoring_settings_move_out'),
    ]

    dependencies = [
        ('corpus', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed'), ('scored', 'Scored')], default='draft', max_length=10)),
                ('deadline_at', models.DateTimeField(blank=True, null=True)),
                ('finishes_late', models.BooleanField(default=False, help_text='Whether those at work at the deadline may finish; otherwise it is the end for all.')),
                ('finishing_since', models.DateTimeField(blank=True, null=True)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('reopened_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('closed_because', models.CharField(blank=True, max_length=60)),
            ],
            options={
                'verbose_name_plural': 'batches',
                'ordering': ['study', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Hit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('article', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='corpus.article')),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='studies.batch')),
            ],
            options={
                'ordering': ['batch', 'position'],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('annotator', 'Annotator'), ('researcher', 'Researcher'), ('admin', 'Admin')], default='annotator', max_length=20)),
                ('note', models.CharField(blank=True, help_text='Whom it is for.', max_length=120)),
                ('max_uses', models.PositiveIntegerField(blank=True, help_text='How many may join by it; empty: any.', null=True)),
                ('uses', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('annotator', 'Annotator'), ('researcher', 'Researcher'), ('admin', 'Admin')], max_length=20)),
                ('pseudonym', models.CharField(max_length=60)),
                ('joined_at', models.DateTimeField(auto_now_add=True)),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('former_user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('invitation', models.ForeignKey(blank=True, help_text='Came by it.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='members', to='studies.invitation')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveSmallIntegerField()),
                ('replicate', models.PositiveSmallIntegerField(default=0)),
                ('state', models.CharField(choices=[('open', 'Open'), ('claimed', 'Claimed'), ('submitted', 'Submitted')], default='open', max_length=10)),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='studies.hit')),
                ('annotator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='studies.member')),
            ],
            options={
                'ordering': ['hit', 'place'],
            },
        ),
        migrations.CreateModel(
            name='SchemeVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=40)),
                ('number', models.PositiveIntegerField()),
                ('definition', models.JSONField()),
                ('signature', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('key', 'number'), name='scheme_version_once')],
            },
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True)),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('overlap', models.PositiveSmallIntegerField(default=5, help_text='Judgments per item.')),
                ('questions_per_hit', models.PositiveSmallIntegerField(default=5)),
                ('hits_per_batch', models.PositiveSmallIntegerField(default=20)),
                ('time_limit_minutes', models.PositiveSmallIntegerField(default=60, help_text='How long a place is reserved.')),
                ('gives_hints', models.BooleanField(default=True, help_text='Whether the page asks for more when an explanation only restates the label.')),
                ('about', models.TextField(blank=True, help_text='What invited people read; empty: the words of the scheme.', max_length=4000)),
                ('task_minutes', models.PositiveSmallIntegerField(blank=True, help_text='How long a task takes, until enough of them have been measured.', null=True)),
                ('pay', models.CharField(blank=True, help_text='What annotators are told about their pay.', max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('archived_at', models.DateTimeField(blank=True, help_text='Out of the lists, and nobody takes its tasks.', null=True)),
                ('arriving_at', models.DateTimeField(blank=True, editable=False, help_text='Last sign of life of the import; empty once all is there.', null=True)),
                ('evening_at', models.DateTimeField(blank=True, editable=False, help_text='Last sign of life of a change of the overlap of open batches.', null=True)),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='corpus.corpus')),
                ('scheme_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='studies.schemeversion')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'ordering': ['name'],
            },
        ),
        migrations.AddField(
            model_name='member',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='studies.study'),
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='studies.hit')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='corpus.question')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='studies.study')),
            ],
            options={
                'ordering': ['hit', 'position'],
            },
        ),
        migrations.AddField(
            model_name='invitation',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='studies.study'),
        ),
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(default=1)),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='candidacies', to='corpus.answer')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='studies.item')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='studies.study')),
            ],
            options={
                'ordering': ['item', 'number'],
            },
        ),
        migrations.AddField(
            model_name='batch',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='studies.study'),
        ),
        migrations.AddConstraint(
            model_name='hit',
            constraint=models.UniqueConstraint(fields=('batch', 'position'), name='hit_position_once_in_batch'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['annotator', 'state', 'submitted_at'], name='assignment_by_annotator'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('hit', 'place'), name='place_once_in_hit'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('hit', 'annotator', 'replicate'), name='annotator_once_in_hit'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('annotator__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('annotator__isnull', False)), _connector='OR'), name='place_is_open_or_somebodys'),
        ),
        migrations.AddConstraint(
            model_name='member',
            constraint=models.UniqueConstraint(fields=('study', 'user'), name='member_once_in_study'),
        ),
        migrations.AddConstraint(
            model_name='member',
            constraint=models.UniqueConstraint(fields=('study', 'pseudonym'), name='pseudonym_once_in_study'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(fields=('hit', 'position'), name='item_position_once_in_hit'),
        ),
        migrations.AddConstraint(
            model_name='candidate',
            constraint=models.UniqueConstraint(fields=('study', 'answer'), name='answer_once_in_study'),
        ),
        migrations.AddConstraint(
            model_name='candidate',
            constraint=models.UniqueConstraint(fields=('item', 'number'), name='candidate_number_once_in_item'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.UniqueConstraint(fields=('study', 'number'), name='batch_number_once_in_study'),
        ),
    ]
