"""The database itself refuses a judgment of a check that is not marked as one, and would be in every figure."""

from django.db import migrations

IS_WRONG = "NEW.is_check <> (SELECT item.is_check FROM studies_item item WHERE item.id = NEW.item_id)"
WORDS = "A judgment is marked as that of a check exactly where its item is one."


def refuse(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f"""
            CREATE FUNCTION annotations_check_is_marked() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF {IS_WRONG} THEN
                    RAISE EXCEPTION '{WORDS}' USING ERRCODE = 'integrity_constraint_violation';
                END IF;
                RETURN NEW;
            END $$
            """
        )
        schema_editor.execute(
            "CREATE TRIGGER annotations_check_marked BEFORE INSERT ON annotations_annotation "
            "FOR EACH ROW EXECUTE FUNCTION annotations_check_is_marked()"
        )
        return
    schema_editor.execute(
        f"CREATE TRIGGER annotations_check_marked BEFORE INSERT ON annotations_annotation WHEN {IS_WRONG} "
        f"BEGIN SELECT RAISE(ABORT, '{WORDS}'); END"
    )


def allow(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER annotations_check_marked ON annotations_annotation")
        schema_editor.execute("DROP FUNCTION annotations_check_is_marked()")
        return
    schema_editor.execute("DROP TRIGGER annotations_check_marked")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0004_judgments_of_checks"), ("studies", "0007_check_items")]

    operations = [migrations.RunPython(refuse, allow)]
