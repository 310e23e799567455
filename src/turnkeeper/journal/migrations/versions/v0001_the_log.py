"""The log, the names it uses, and how far each outside file has been read.

Why: the first step.
While the old daemon runs: there is none.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# The third trigger of SQLite is for INSERT OR REPLACE, which deletes without a DELETE.
REFUSALS: Final = {
    "sqlite": (
        """CREATE TRIGGER {table}_keeps_what_it_holds BEFORE UPDATE ON {table}
           BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
        """CREATE TRIGGER {table}_loses_nothing BEFORE DELETE ON {table}
           BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
        """CREATE TRIGGER {table}_replaces_nothing BEFORE INSERT ON {table}
           WHEN EXISTS (SELECT 1 FROM {table} WHERE {number} = NEW.{number})
           OR EXISTS (SELECT 1 FROM {table} WHERE "{text}" = NEW."{text}")
           BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    ),
    "postgresql": (
        """CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$""",
        """CREATE TRIGGER {table}_keeps_what_it_holds BEFORE UPDATE OR DELETE OR TRUNCATE
           ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
    ),
}


def upgrade() -> None:
    op.create_table(
        "name",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.UniqueConstraint("text", name="name_once"),
    )
    op.create_table(
        "fact",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("session", sa.Integer),
        sa.Column("thread", sa.Integer),
        sa.Column("host", sa.Integer),
        sa.Column("source", sa.Integer, nullable=False),
        sa.Column("kind", sa.Integer, nullable=False),
        sa.Column("happened_at", sa.BigInteger, nullable=False),
        sa.Column("heard_at", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("key", name="fact_once"),
    )
    op.create_index("fact_by_session", "fact", ["session", "position"])
    op.create_table(
        "mark",
        sa.Column("name", sa.LargeBinary, primary_key=True),
        sa.Column("offset", sa.BigInteger, nullable=False),
        sa.Column("inode", sa.BigInteger, nullable=False),
        sa.Column("memo", sa.LargeBinary, nullable=False),
    )
    for table, number, text in (("name", "id", "text"), ("fact", "position", "key")):
        for refusal in REFUSALS[op.get_bind().dialect.name]:
            op.execute(refusal.format(table=table, number=number, text=text))
