"""Where PostgreSQL and SQLite say the same thing in different words."""

from dataclasses import dataclass

from django.db import connection


@dataclass(frozen=True)
class Dialect:
    """Pieces of SQL; braces are filled in with an expression which for ``key`` gives the key of a slot."""

    begin_snapshot: str  # a transaction that reads the data of one moment and keeps no writer waiting
    among: str  # compares a key with those of a list, which is given as a text
    listed: str  # that text
    join: str  # keeps the order in which tables are written
    look_up: str  # joins by {join} what {condition} finds in {table}, for each row before it
    value: str
    items: str  # the items of a JSON list of words or numbers, with a space between each two
    spans: str  # marked spans as JSON, written alike by both
    lines: str  # the texts of a JSON list, each on a line of its own; as JSON where that would not tell them apart
    documents: str  # the names of a question's reference documents, each on a line of its own
    json: str  # a column of JSON as text
    count: str
    number: str
    time: str
    keyed: str  # fifteen hexadecimal digits of a key by the secret that is the parameter


REFERENCES = (
    "(SELECT document.external_id AS name FROM corpus_referencedocument reference"
    " JOIN corpus_article document ON document.id = reference.article_id"
    " WHERE reference.question_id = question.id ORDER BY reference.number) named"
)
POSTGRESQL = Dialect(
    begin_snapshot="BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    among="= ANY (CAST(%s AS bigint[]))",
    listed="{{{}}}",
    join="JOIN",
    # OFFSET 0 keeps the planner from taking the look-up apart. Else it reads whole tables and compares each row with
    # each where it expects few rows: of a table that was last counted while empty, or never, it expects wrong.
    look_up="{join} LATERAL (SELECT * FROM {table} WHERE {condition} OFFSET 0) {alias} ON TRUE",
    value='annotation."values" ->> {key}',
    items="translate({}, '[],\"', '')",
    spans='CASE WHEN annotation."values" -> {key} IS NOT NULL THEN'
    " '[' || COALESCE((SELECT string_agg('{{\"text\":' || CAST(to_json(one ->> 'text') AS text)"
    " || ',\"start\":' || (one ->> 'start') || ',\"end\":' || (one ->> 'end')"
    " || ',\"label\":' || CAST(to_json(one ->> 'label') AS text)"
    " || COALESCE(',\"note\":' || CAST(to_json(one ->> 'note') AS text), '') || '}}', ',' ORDER BY place)"
    " FROM jsonb_array_elements(annotation.\"values\" -> {key}) WITH ORDINALITY listed(one, place)), '') || ']' END",
    lines="(SELECT CASE WHEN bool_or(position(E'\\n' IN one) > 0 OR substr(one, 1, 2) = '[\"')"
    " THEN '[' || string_agg(CAST(to_json(one) AS text), ',' ORDER BY place) || ']'"
    " ELSE string_agg(one, E'\\n' ORDER BY place) END"
    " FROM jsonb_array_elements_text({}) WITH ORDINALITY listed(one, place))",
    documents=f"(SELECT string_agg(name, E'\\n') FROM {REFERENCES})",
    json="CAST({} AS text)",
    count='jsonb_array_length(annotation."values" -> {key})',
    number="CAST({} AS double precision)",
    time="to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    keyed="substr(encode(sha256(convert_to(CAST(%s AS text) || ':' || {}, 'UTF8')), 'hex'), 1, 15)",
)
SQLITE = Dialect(
    begin_snapshot="BEGIN DEFERRED",
    among="IN (SELECT value FROM json_each(%s))",
    listed="[{}]",
    join="CROSS JOIN",
    look_up="{join} {table} ON {condition}",
    value="json_extract(annotation.\"values\", '$.\"' || {key} || '\"')",
    spans="CASE WHEN json_type(annotation.\"values\", '$.\"' || {key} || '\"') IS NOT NULL THEN"
    " '[' || COALESCE((SELECT group_concat('{{\"text\":' || json_quote(json_extract(value, '$.text')) || ',\"start\":'"
    " || json_extract(value, '$.start') || ',\"end\":' || json_extract(value, '$.end') || ',\"label\":'"
    " || json_quote(json_extract(value, '$.label'))"
    " || COALESCE(',\"note\":' ||"
    " CASE WHEN json_extract(value, '$.note') IS NOT NULL THEN json_quote(json_extract(value, '$.note')) END, '')"
    " || '}}', ',')"
    " FROM json_each(annotation.\"values\", '$.\"' || {key} || '\"')), '') || ']' END",
    items="replace(replace(replace(replace({}, '[', ''), ']', ''), '\"', ''), ',', ' ')",
    lines="(SELECT CASE WHEN max(instr(value, char(10)) > 0 OR substr(value, 1, 2) = '[\"')"
    " THEN '[' || group_concat(json_quote(value), ',') || ']'"
    " ELSE group_concat(value, char(10)) END FROM json_each({}))",
    documents=f"(SELECT group_concat(name, char(10)) FROM {REFERENCES})",
    json="json({})",
    count="json_array_length(annotation.\"values\", '$.\"' || {key} || '\"')",
    number="CAST({} AS real)",
    # Stored as 2026-03-02 08:00:00 with six more digits, or none when they would be zeros.
    time="substr(replace({0}, ' ', 'T') || CASE instr({0}, '.') WHEN 0 THEN '.000000' ELSE '000000' END, 1, 26) || 'Z'",
    keyed="substr(SHA256(%s || ':' || {}), 1, 15)",
)


def dialect() -> Dialect:
    return POSTGRESQL if connection.vendor == "postgresql" else SQLITE
