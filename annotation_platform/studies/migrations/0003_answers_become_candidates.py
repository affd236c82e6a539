"""Each item's one answer becomes its one candidate. Apart from 0004, since PostgreSQL alters no table that it has
just written to in the same transaction."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_candidates")]

    operations = [
        migrations.RunSQL(
            "INSERT INTO studies_candidate (item_id, study_id, answer_id, number) "
            "SELECT id, study_id, answer_id, 1 FROM studies_item"
        ),
        migrations.RunSQL(
            "UPDATE studies_item SET question_id = "
            "(SELECT answer.question_id FROM corpus_answer answer WHERE answer.id = studies_item.answer_id)"
        ),
    ]
