"""Numbers for the business: exports, models, dashboards."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, md, read, run
from turnkeeper.scripted.steps import Compact, Fail, Finish, Prompt, Say, Wait

NIGHTLY: Final = Chapter(
    "The nightly export takes forty minutes",
    (
        Prompt("Why does the nightly export take forty minutes?"),
        read(
            "analytics/export/nightly.py",
            """
            for order in session.scalars(select(Order).where(Order.day == day)):
                writer.writerow([order.id, order.total, len(order.lines)])
            """,
        ),
        run(
            "uv run python -m analytics.export --day yesterday --echo-count",
            "61,204 statements, 38 min 52 s",
            "Count the statements of one night",
            seconds=12,
        ),
        Finish(
            md(
                """
                It loads the lines of every order on its own: 61,204 statements a night.

                ```python
                select(Order).where(Order.day == day).options(selectinload(Order.lines))
                ```

                makes that 124 statements and 47 seconds. The change is one line.
                """
            )
        ),
        Wait(90),
        Prompt("ship it"),
        edit(
            "analytics/export/nightly.py",
            "select(Order).where(Order.day == day)",
            "select(Order).where(Order.day == day).options(selectinload(Order.lines))",
        ),
        ask(
            run(
                "git push -u origin perf/nightly-export",
                "branch 'perf/nightly-export' set up to track 'origin/perf/nightly-export'.",
                "Push the branch",
                seconds=4,
            )
        ),
        Finish("Pushed as `perf/nightly-export`: one line, 47 seconds instead of 39 minutes."),
    ),
)

REVENUE: Final = Chapter(
    "Revenue is three percent short",
    (
        Prompt("Tuesday's revenue in the dashboard is 3 % below the ledger. Find the difference."),
        run(
            "dbt run --select fct_revenue --vars '{day: tuesday}'",
            """
            1 of 1 START sql table model marts.fct_revenue ........ [RUN]
            1 of 1 OK created sql table model marts.fct_revenue ... [SELECT 18204 in 7.8s]
            """,
            "Build Tuesday's revenue",
            seconds=9,
        ),
        Say("The model builds. Next I compare it with the ledger, currency by currency."),
        Fail(
            "API Error: 529 Overloaded. The service is busy; this turn was not finished.",
        ),
    ),
    (
        Wait(75),
        Prompt("try again"),
        run(
            "duckdb warehouse.db < checks/revenue_by_currency.sql",
            """
            currency │ ledger     │ dashboard  │ difference
            ─────────┼────────────┼────────────┼───────────
            EUR      │ 812,430.10 │ 812,430.10 │       0.00
            USD      │ 291,870.44 │ 291,870.44 │       0.00
            JPY      │  35,112.00 │     351.12 │ -34,760.88
            """,
            "Compare revenue by currency",
            seconds=8,
        ),
        Finish(
            md(
                """
                It is the yen. `stg_payments` divides every amount by 100, and the yen has no cents:

                | currency | ledger | dashboard |
                |---|---:|---:|
                | EUR | 812,430.10 | 812,430.10 |
                | JPY | 35,112.00 | 351.12 |

                The exponent is in `dim_currency` already. Shall I use it there?
                """
            )
        ),
        Wait(50),
        Prompt("yes, with a test for JPY and KWD"),
        edit(
            "models/staging/stg_payments.sql",
            "amount / 100.0 as amount",
            "amount / power(10, currency.exponent) as amount",
        ),
        run(
            "dbt test --select stg_payments fct_revenue",
            "Done. PASS=12 WARN=0 ERROR=0 SKIP=0 TOTAL=12",
            "Test the models",
            seconds=14,
        ),
        Finish("Yen and dinar are right now, and tested. Tuesday agrees with the ledger exactly."),
    ),
)

COHORTS: Final = Chapter(
    "Cohorts by first purchase",
    (
        Compact(
            "Nightly export: 124 statements instead of 61,204, pushed. Revenue: amounts follow the "
            "currency's exponent, tests for JPY and KWD."
        ),
        Wait(10),
        Prompt("Add a cohort table: month of first purchase against months since."),
        read("models/marts/_marts.yml", "models:\n  - name: fct_revenue\n  - name: fct_orders"),
        ask(
            run(
                "dbt run --select fct_cohorts --target staging",
                "1 of 1 OK created sql table model marts.fct_cohorts [SELECT 486 in 3.1s]",
                "Build the cohort table on staging",
                seconds=6,
            )
        ),
        Finish(
            "`fct_cohorts` is on staging: 27 cohorts, 486 rows. Retention after three months went "
            "from 31 % to 38 % since spring."
        ),
    ),
)

ANALYTICS: Final = Character(
    "analytics",
    "main",
    (NIGHTLY, REVENUE, COHORTS),
    hours=0.6,
    opening=1,
    model="claude-sonnet-5-5",
)
