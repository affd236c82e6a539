"""Who has a file of a payment: nobody knows it of payments that were approved before, so a file may be out of each."""

import django.db.models.deletion
from django.db import migrations, models


def files_may_be_out(apps, schema_editor):
    runs = apps.get_model("crowd", "PaymentRun").objects.filter(pk=models.OuterRef("run")).order_by()
    unsettled = apps.get_model("crowd", "PaymentLine").objects.filter(state__in=["open", "differs"])
    unsettled.filter(run__state="approved").update(in_file_at=models.Subquery(runs.values("approved_at")))


class Migration(migrations.Migration):

    dependencies = [
        ('crowd', '0006_rewards_taken_back'),
        ('studies', '0011_full_levels_are_known'),
    ]

    operations = [
        migrations.AddField(
            model_name='paymentline',
            name='in_file_at',
            field=models.DateTimeField(blank=True, help_text='When the newest file that lists it was downloaded.', null=True),
        ),
        migrations.AddField(
            model_name='paymentline',
            name='in_file_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='studies.member'),
        ),
        migrations.RunPython(files_may_be_out, migrations.RunPython.noop),
    ]
