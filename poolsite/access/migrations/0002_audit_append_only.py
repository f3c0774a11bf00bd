"""Refuse UPDATE, DELETE and TRUNCATE of the audit log in the database itself."""

from django.db import migrations

TABLE = "access_auditentry"
REFUSAL = "the audit log takes new entries only"

CREATE = {
    "sqlite": [
        f"""CREATE TRIGGER access_audit_no_{verb.lower()} BEFORE {verb} ON {TABLE}
            BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"""
        for verb in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        f"""CREATE FUNCTION access_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        f"""CREATE TRIGGER access_audit_no_change BEFORE UPDATE OR DELETE ON {TABLE}
            FOR EACH ROW EXECUTE FUNCTION access_audit_refuse()""",
        f"""CREATE TRIGGER access_audit_no_truncate BEFORE TRUNCATE ON {TABLE}
            FOR EACH STATEMENT EXECUTE FUNCTION access_audit_refuse()""",
    ],
}
DROP = {
    "sqlite": [
        "DROP TRIGGER IF EXISTS access_audit_no_update",
        "DROP TRIGGER IF EXISTS access_audit_no_delete",
    ],
    "postgresql": [
        f"DROP TRIGGER IF EXISTS access_audit_no_change ON {TABLE}",
        f"DROP TRIGGER IF EXISTS access_audit_no_truncate ON {TABLE}",
        "DROP FUNCTION IF EXISTS access_audit_refuse()",
    ],
}


def run(statements):
    def operation(apps, schema_editor):
        for statement in statements[schema_editor.connection.vendor]:
            schema_editor.execute(statement)

    return operation


class Migration(migrations.Migration):
    dependencies = [("access", "0001_initial")]
    operations = [migrations.RunPython(run(CREATE), run(DROP))]
