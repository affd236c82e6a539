from django.db import migrations, models, transaction
from django.db.models.functions import Upper
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
    dependencies = [("corpus", "0003_corpus_owner")]

    operations = [
        migrations.AddIndex(
            model_name="article", index=models.Index(Upper("external_id"), name="article_by_external_id")
        ),
        migrations.RunPython(add_indexes, remove_indexes),
    ]
