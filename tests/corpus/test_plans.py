"""What a session planned while a table was small does not make it read all of the table for each row of an import."""

from pathlib import Path

import pytest
from django.db import connection

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, Options, open_files, read_study
from annotation_platform.corpus.models import Article, Corpus, Question
from annotation_platform.imports.storing import import_corpus

pytestmark = [pytest.mark.django_db(transaction=True)]


def read_whole() -> int:
    """How often PostgreSQL went through all articles, as it tells by now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'corpus_article'")
        return int(cursor.fetchone()[0])


def test_an_import_looks_its_articles_up(tmp_path: Path) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite always looks keys up by index.")
    article = Article.objects.create(corpus=Corpus.objects.create(name="small"), external_id="one", position=1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE corpus_article")
    for number in range(10):  # from the sixth time on, a session keeps its plan of how to check a foreign key
        Question.objects.create(article=article, external_id=str(number), position=number)
    before = read_whole()
    assert before >= 10, "a table of one page is read whole"
    file = tmp_path / "rows.csv"
    file.write_text("question,answer,article_id\n" + "".join(f"Why {n}?,So {n}.,a{n}\n" for n in range(300)))
    format, options = FORMATS["table"], Options(definition=preset("ebr"), wants_judgments=False)
    with read_study(format, open_files(format, [file], ["rows.csv"]), options) as imported:
        import_corpus(imported=imported, name="large", actor=Actor.operator("test"))
    assert Question.objects.filter(article__corpus__name="large").count() == 300
    assert read_whole() - before < 10
