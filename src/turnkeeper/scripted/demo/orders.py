"""Orders and their database: migrations, slow queries, webhooks."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, md, read, run, write
from turnkeeper.scripted.steps import Finish, Option, Permission, Prompt, Question, Say, Wait

SLOW_QUERY: Final = Chapter(
    "The order list takes four seconds",
    (
        Prompt("The order list takes four seconds for our largest merchant. Why?"),
        run(
            "psql -d orders_dev -f scripts/explain_list.sql",
            """
             Limit  (cost=0.56..812.40 rows=50) (actual time=3911.2..3911.9 rows=50)
               ->  Index Scan Backward using orders_created_at_idx on orders
                     Filter: (merchant_id = 7714)
                     Rows Removed by Filter: 1840221
            """,
            "Explain the list query",
            seconds=5,
        ),
        Finish(
            md(
                """
                It walks the newest 1.8 million orders of *all* merchants to find 50 of this one.
                An index that begins with the merchant answers it directly:

                ```sql
                CREATE INDEX CONCURRENTLY orders_by_merchant
                    ON orders (merchant_id, created_at DESC);
                ```

                On the copy of last night: 3,912 ms before, 1.3 ms after. Do you want it as a
                migration?
                """
            )
        ),
        Wait(60),
        Prompt("yes, concurrently please"),
        write(
            "migrations/versions/0041_orders_by_merchant.py",
            '''
            """Find a merchant's newest orders without walking everybody's."""

            from alembic import op

            revision, down_revision = "0041", "0040"


            def upgrade() -> None:
                with op.get_context().autocommit_block():
                    op.create_index(
                        "orders_by_merchant",
                        "orders",
                        ["merchant_id", "created_at"],
                        postgresql_concurrently=True,
                    )
            ''',
        ),
        run("uv run pytest -q tests/migrations", "9 passed in 4.20s", "Test migrations", seconds=6),
        Finish("Migration 0041 builds the index without locking the table. Its tests pass."),
    ),
)

WEBHOOKS: Final = Chapter(
    "Webhooks that arrive twice",
    (
        Prompt("The payment provider sends some webhooks twice and we ship twice. Make it safe."),
        read(
            "src/orders/webhooks.py",
            """
            async def paid(event: Event) -> None:
                order = await load(event.order)
                await ship(order)
            """,
        ),
        Say("The provider's event id never changes, so it can be the key."),
        edit(
            "src/orders/webhooks.py",
            """
            order = await load(event.order)
            await ship(order)
            """,
            """
            async with transaction():
                if not await first_time(event.id):
                    return
                order = await load(event.order)
                await ship(order)
            """,
        ),
        ask(
            run(
                'psql -d orders_dev -c "CREATE TABLE seen_events (id text PRIMARY KEY)"',
                "CREATE TABLE",
                "Make the table on the development database",
                seconds=1,
            )
        ),
        run("uv run pytest -q tests/test_webhooks.py", "14 passed in 2.71s", "Test it", seconds=4),
        Finish("An event id counts once, in the same transaction as the shipment. 14 tests pass."),
    ),
)

EXACT: Final = Chapter(
    "Exact totals, without downtime",
    (
        Prompt("orders.total is a float. Make it exact without stopping the shop."),
        read(
            "src/orders/models.py",
            """
            class Order(Base):
                id: Mapped[int] = mapped_column(primary_key=True)
                merchant_id: Mapped[int] = mapped_column(index=True)
                total: Mapped[float]
            """,
        ),
        run(
            "psql -d orders_dev -f scripts/count_fractions_of_cents.sql",
            """
              count  | count
            ---------+-------
             2140388 | 40112
            """,
            "Count totals that are no whole cents",
            seconds=4,
        ),
        Say("40,112 old totals are no whole number of cents. What becomes of them is up to you."),
    ),
    (
        Question(
            "What should the backfill do with the 40,112 totals that are no whole cents?",
            "Old totals",
            (
                Option("Round them", "As the invoices do already; sums agree with them"),
                Option("Round and list", "The same, and a list of the orders for accounting"),
                Option("Leave them", "Only new orders are exact; old ones stay as they are"),
            ),
            answer="Round and list",
        ),
        Say("Noted for the backfill. The column itself comes first and changes no old row."),
        write(
            "migrations/versions/0042_exact_totals.py",
            '''
            """Keep totals as whole cents beside the float."""

            import sqlalchemy as sa
            from alembic import op

            revision, down_revision = "0042", "0041"


            def upgrade() -> None:
                op.add_column("orders", sa.Column("total_cents", sa.BigInteger()))
            ''',
        ),
        ask(
            run(
                "uv run alembic upgrade head",
                """
                INFO  [alembic.runtime.migration] Running upgrade 0041 -> 0042, exact totals
                """,
                "Migrate the development database",
                seconds=5,
            )
        ),
        run("uv run pytest -q tests/orders", "88 passed in 6.02s", "Run the tests", seconds=8),
        Finish(
            md(
                """
                New orders write both columns. The backfill is ready and I have **not** run it:

                ```console
                $ uv run python scripts/backfill_totals.py --batch 5000 --dry-run
                2,140,388 orders, 40,112 as you decided, about 14 minutes
                ```

                Readers switch in a second release, the float goes in a third.
                """
            )
        ),
    ),
)

BACKFILL: Final = Chapter(
    "Backfill the totals",
    (
        Prompt("Run the backfill."),
        Say("The dry run said 14 minutes. I start with the real one."),
        Permission(
            (
                run(
                    "uv run python scripts/backfill_totals.py --batch 5000 --database production",
                    "2,140,388 orders, 40,112 as decided, 0 failed, 13 min 48 s",
                    "Backfill exact totals on production",
                ),
            ),
            granted=False,
        ),
        Wait(25),
        Prompt("Not on production from here. Staging first."),
        ask(
            run(
                "uv run python scripts/backfill_totals.py --batch 5000 --database staging",
                """
                310,554 orders, 5,821 as decided, 0 failed, 2 min 11 s
                """,
                "Backfill exact totals on staging",
                seconds=30,
            )
        ),
        Finish(
            "Staging is done: 310,554 orders in 2 min 11 s, none failed. Sums agree with the "
            "invoices to the cent."
        ),
    ),
)

ORDERS: Final = Character(
    "orders",
    "feature/exact-totals",
    (SLOW_QUERY, WEBHOOKS, EXACT, BACKFILL),
    hours=1.6,
    opening=2,
)
