"""Events by month on PostgreSQL: see docs/decisions/0054."""

from django.db import migrations

from poolsite.history.partitioning import PartitionByMonth


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("line", "0013_admin_names")]

    operations = [PartitionByMonth("lineevent")]
