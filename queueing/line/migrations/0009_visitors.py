import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("line", "0008_supervisors"),
    ]

    operations = [
        migrations.AddField(
            model_name='visit',
            name='language',
            field=models.CharField(blank=True, db_default='', default='', max_length=10, verbose_name='language'),
        ),
        migrations.CreateModel(
            name='VisitCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True, verbose_name='hash')),
                ('expires_at', models.DateTimeField(db_index=True, verbose_name='expires at')),
                ('visit', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='code', to='line.visit')),
            ],
            options={'verbose_name': 'visit code', 'verbose_name_plural': 'visit codes'},
        ),
        migrations.CreateModel(
            name='VisitMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('turn', 'turn notification'), ('transcript', 'transcript')], max_length=10, verbose_name='type')),
                ('when', models.CharField(blank=True, choices=[('third', 'third in line'), ('next', 'next in line'), ('turn', 'served')], max_length=5, verbose_name='when')),
                ('address', models.EmailField(blank=True, max_length=254, verbose_name='email')),
                ('language', models.CharField(blank=True, max_length=10, verbose_name='language')),
                ('zone', models.CharField(default='UTC', max_length=64, verbose_name='time zone')),
                ('site', models.CharField(max_length=200, verbose_name='site')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('due', 'due'), ('sent', 'sent'), ('failed', 'not sent'), ('over', 'no longer needed')], max_length=7, verbose_name='state')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                ('look_at', models.DateTimeField(verbose_name='next check at')),
                ('asked_at', models.DateTimeField(auto_now_add=True, verbose_name='requested at')),
                ('visit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mails', to='line.visit')),
            ],
            options={'verbose_name': 'visitor email', 'verbose_name_plural': 'visitor emails', 'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'due'])), fields=['state', 'look_at'], name='line_mail_look')], 'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'turn')), fields=('visit',), name='line_mail_one_turn')]},
        ),
    ]
