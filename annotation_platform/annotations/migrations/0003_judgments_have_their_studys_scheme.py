"""Until now a study had one scheme version for good, so its judgments were made under that one."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotations", "0002_candidates_and_scheme_versions")]

    operations = [
        migrations.RunSQL(
            "UPDATE annotations_annotation SET scheme_version_id = ("
            "SELECT study.scheme_version_id FROM studies_item item JOIN studies_study study ON study.id = item.study_id "
            "WHERE item.id = annotations_annotation.item_id)"
        ),
    ]
