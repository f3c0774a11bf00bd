from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('access', '0007_token_networks'),
    ]

    operations = [
        migrations.AddField(
            model_name='grant',
            name='by_group',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='membership',
            name='by_group',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='user',
            name='operator_by_group',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
