import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0003_judgments_have_their_studys_scheme")]

    operations = [
        migrations.AlterField(
            model_name="annotation",
            name="scheme_version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="annotations",
                to="studies.schemeversion",
            ),
        ),
    ]
