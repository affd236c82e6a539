import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models, transaction
from django.db.utils import DatabaseError


INDEXES = {"question_words": ("corpus_question", "text"), "article_words": ("corpus_article", "title")}


def add_indexes(apps, schema_editor):
    """Indexes of trigrams for the explorer's search: PostgreSQL alone has them, and not every server of it."""
    if schema_editor.connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(using=schema_editor.connection.alias):
            schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except DatabaseError:  # not installed on the server, or not ours to add: the search reads all questions then
        return
    for name, (table, column) in INDEXES.items():
        schema_editor.execute(f"CREATE INDEX {name} ON {table} USING gin (upper({column}::text) gin_trgm_ops)")


def remove_indexes(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for name in INDEXES:
            schema_editor.execute(f"DROP INDEX IF EXISTS {name}")


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('corpus', '0001_initial'),
        ('corpus', '0002_reference_documents_choices_rationales'),
        ('corpus', '0003_corpus_owner'),
        ('corpus', '0004_words_of_questions'),
        ('corpus', '0005_families_of_systems'),
        ('corpus', '0006_corpora_that_are_arriving'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Corpus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, unique=True)),
                ('language', models.CharField(default='en', max_length=8)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('arriving_at', models.DateTimeField(blank=True, editable=False, help_text='Last sign of life of the import; empty once all is there.', null=True)),
                ('owner', models.ForeignKey(blank=True, help_text='Who imported it.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='corpora', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'corpora',
            },
        ),
        migrations.CreateModel(
            name='Article',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(max_length=200)),
                ('title', models.CharField(blank=True, max_length=500)),
                ('source', models.CharField(blank=True, max_length=500)),
                ('url', models.URLField(blank=True, max_length=500)),
                ('position', models.PositiveIntegerField()),
                ('sentence_count', models.PositiveIntegerField(default=0)),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='articles', to='corpus.corpus')),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(max_length=200)),
                ('position', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('anchor', models.PositiveIntegerField(blank=True, help_text='Number of the sentence that raised the question, if known.', null=True)),
                ('choices', models.JSONField(blank=True, default=list, help_text='Of a multiple-choice question: texts, in order.')),
                ('reference_answers', models.JSONField(blank=True, default=list, help_text='Answers known to be right: texts.')),
                ('article', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='corpus.article')),
            ],
            options={
                'ordering': ['article', 'position'],
            },
        ),
        migrations.CreateModel(
            name='ReferenceDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('article', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='references', to='corpus.article')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reference_documents', to='corpus.question')),
            ],
            options={
                'ordering': ['question', 'number'],
            },
        ),
        migrations.AddField(
            model_name='question',
            name='documents',
            field=models.ManyToManyField(related_name='questions_referring', through='corpus.ReferenceDocument', to='corpus.article'),
        ),
        migrations.CreateModel(
            name='Sentence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='From 1, as shown to annotators.')),
                ('text', models.TextField()),
                ('article', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sentences', to='corpus.article')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='System',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('family', models.CharField(blank=True, help_text='Systems of one family (versions, experts) are also counted together.', max_length=200)),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='systems', to='corpus.corpus')),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('rationale', models.TextField(blank=True, help_text='The explanation that came with the answer.')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='corpus.question')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='corpus.system')),
            ],
            options={
                'ordering': [models.F('question'), models.F('system')],
            },
        ),
        migrations.AddIndex(
            model_name='article',
            index=models.Index(django.db.models.functions.text.Upper('external_id'), name='article_by_external_id'),
        ),
        migrations.AddConstraint(
            model_name='article',
            constraint=models.UniqueConstraint(fields=('corpus', 'external_id'), name='article_once_in_corpus'),
        ),
        migrations.AddConstraint(
            model_name='referencedocument',
            constraint=models.UniqueConstraint(fields=('question', 'number'), name='reference_number_once_in_question'),
        ),
        migrations.AddConstraint(
            model_name='referencedocument',
            constraint=models.UniqueConstraint(fields=('question', 'article'), name='reference_once_in_question'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.UniqueConstraint(fields=('article', 'external_id'), name='question_once_in_article'),
        ),
        migrations.AddConstraint(
            model_name='sentence',
            constraint=models.UniqueConstraint(fields=('article', 'number'), name='sentence_number_once_in_article'),
        ),
        migrations.AddConstraint(
            model_name='sentence',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='sentence_numbers_start_at_1'),
        ),
        migrations.AddConstraint(
            model_name='system',
            constraint=models.UniqueConstraint(fields=('corpus', 'name'), name='system_once_in_corpus'),
        ),
        migrations.AddConstraint(
            model_name='answer',
            constraint=models.UniqueConstraint(fields=('question', 'system'), name='answer_once_by_system'),
        ),
        migrations.RunPython(add_indexes, remove_indexes),
    ]
