import django.core.serializers.json
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these needs nothing; they can go from here with the first release.
    replaces = [
        ('accounts', '0001_initial'),
        ('accounts', '0002_guests_and_languages'),
        ('accounts', '0003_events'),
        ('accounts', '0004_schemes_are_migrated'),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                ('link_key', models.CharField(blank=True, editable=False, help_text='What the personal link of an account is signed over.', max_length=40)),
                ('language', models.CharField(blank=True, editable=False, help_text='Chosen for the pages.', max_length=8)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('actor_kind', models.CharField(max_length=10)),
                ('name', models.CharField(blank=True, help_text='The pseudonym of somebody whose account is deleted.', max_length=60)),
                ('via', models.CharField(blank=True, help_text='The command or the job.', max_length=80)),
                ('address', models.GenericIPAddressField(null=True)),
                ('verb', models.CharField(max_length=40)),
                ('topic', models.CharField(max_length=20)),
                ('subject_type', models.CharField(max_length=80)),
                ('subject_id', models.BigIntegerField()),
                ('study', models.BigIntegerField(null=True)),
                ('study_slug', models.CharField(blank=True, max_length=80)),
                ('change', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, help_text='Field: what it was, what it is.')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['study', 'id'], name='event_of_study'), models.Index(fields=['study', 'topic', 'id'], name='event_of_study_by_topic')],
            },
        ),
    ]
