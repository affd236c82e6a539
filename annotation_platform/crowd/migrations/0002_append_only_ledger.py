"""The database itself refuses to change or remove an entry of the ledger.

One way is left: a study that is hidden (``arriving_at``), as the one is that an admin deletes, may lose its entries.
"""

from django.db import migrations

TABLE = "crowd_ledgerentry"
IN_USE = "EXISTS (SELECT 1 FROM studies_study WHERE id = OLD.study_id AND arriving_at IS NULL)"
WORDS = "Entries of the ledger are never changed or removed; write a correction."


def refuse(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f"""
            CREATE FUNCTION crowd_ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'UPDATE' OR {IN_USE} THEN
                    RAISE EXCEPTION '{WORDS}' USING ERRCODE = 'integrity_constraint_violation';
                END IF;
                RETURN OLD;
            END $$
            """
        )
        schema_editor.execute(
            f"CREATE TRIGGER crowd_ledger_append_only BEFORE UPDATE OR DELETE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION crowd_ledger_is_append_only()"
        )
        return
    schema_editor.execute(
        f"CREATE TRIGGER crowd_ledger_no_update BEFORE UPDATE ON {TABLE} BEGIN SELECT RAISE(ABORT, '{WORDS}'); END"
    )
    schema_editor.execute(
        f"CREATE TRIGGER crowd_ledger_no_delete BEFORE DELETE ON {TABLE} WHEN {IN_USE} "
        f"BEGIN SELECT RAISE(ABORT, '{WORDS}'); END"
    )


def allow(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER crowd_ledger_append_only ON {TABLE}")
        schema_editor.execute("DROP FUNCTION crowd_ledger_is_append_only()")
        return
    schema_editor.execute("DROP TRIGGER crowd_ledger_no_update")
    schema_editor.execute("DROP TRIGGER crowd_ledger_no_delete")


class Migration(migrations.Migration):
    dependencies = [("crowd", "0001_initial"), ("studies", "0007_check_items")]

    operations = [migrations.RunPython(refuse, allow)]
