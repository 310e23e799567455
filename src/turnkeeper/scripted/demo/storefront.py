"""The web shop: prices, carts, vouchers."""

from typing import Final

from turnkeeper.scripted.demo.telling import (
    Chapter,
    Character,
    ask,
    edit,
    grep,
    md,
    read,
    run,
    write,
)
from turnkeeper.scripted.steps import Finish, Prompt, Say, Together, Wait

ONE_CENT: Final = Chapter(
    "One cent between cart and invoice",
    (
        Prompt(
            "Order 48213: the invoice is one cent above what the cart showed. Where do we round "
            "twice?"
        ),
        Say("I look for every place that rounds money."),
        grep(
            "round\\(|quantize\\(",
            "src",
            """
            src/storefront/cart.py:61:  sum(line.gross.quantize(CENT) for line in self.lines)
            src/storefront/invoice.py:88:  (sum(line.net for line in lines) * rate).quantize(CENT)
            src/storefront/voucher.py:34:  price - (price * share).quantize(CENT)
            """,
        ),
        Together(
            (
                read(
                    "src/storefront/cart.py",
                    """
                    @property
                    def total(self) -> Decimal:
                        return sum(line.gross.quantize(CENT) for line in self.lines)
                    """,
                ),
                read(
                    "src/storefront/invoice.py",
                    """
                    def gross(lines: Sequence[Line], rate: Decimal) -> Decimal:
                        return (sum(line.net for line in lines) * rate).quantize(CENT)
                    """,
                ),
            )
        ),
        Finish(
            md(
                """
                The two totals round at different moments:

                | where | rounds | order 48213 |
                |---|---|---|
                | cart (`cart.py:61`) | every line, then adds | 118.96 |
                | invoice (`invoice.py:88`) | the sum, once | 118.97 |

                Tax law wants the invoice's way. Shall I let the cart use `invoice.gross` too?
                """
            )
        ),
        Wait(80),
        Prompt("Yes. And keep this order as a regression test."),
        edit(
            "src/storefront/cart.py",
            """
            return sum(line.gross.quantize(CENT) for line in self.lines)
            """,
            """
            return gross(self.lines, self.tax_rate)
            """,
        ),
        write(
            "tests/test_rounding.py",
            """
            from decimal import Decimal

            from storefront.cart import Cart
            from storefront.invoice import invoice_for


            def test_cart_and_invoice_agree_to_the_cent(order_48213: Cart) -> None:
                assert order_48213.total == Decimal("118.97")
                assert invoice_for(order_48213).total == order_48213.total
            """,
        ),
        run(
            "uv run pytest -q tests/test_cart.py tests/test_rounding.py",
            """
            ..........................                                               [100%]
            26 passed in 1.94s
            """,
            "Run the cart and rounding tests",
            seconds=6,
        ),
        Finish(
            "Cart and invoice share one function now, and order 48213 is a test. 26 tests pass."
        ),
    ),
)

VOUCHERS: Final = Chapter(
    "Vouchers that stack",
    (
        Prompt("Two 20 % vouchers should give 36 % off, not 40. Property tests, please."),
        read(
            "src/storefront/voucher.py",
            """
            def apply(price: Decimal, vouchers: Sequence[Voucher]) -> Decimal:
                share = sum(voucher.share for voucher in vouchers)
                return price - (price * share).quantize(CENT)
            """,
        ),
        Say("For property tests I need hypothesis, which is not a dependency yet."),
        ask(
            run(
                "uv add --dev hypothesis",
                """
                Resolved 71 packages in 412ms
                Installed 2 packages in 38ms
                 + hypothesis==6.148.2
                 + sortedcontainers==2.4.0
                """,
                "Add hypothesis as a development dependency",
                seconds=4,
            )
        ),
        edit(
            "src/storefront/voucher.py",
            """
            share = sum(voucher.share for voucher in vouchers)
            return price - (price * share).quantize(CENT)
            """,
            """
            left = prod((1 - voucher.share for voucher in vouchers), start=Decimal(1))
            return (price * left).quantize(CENT)
            """,
        ),
        run(
            "uv run pytest -q tests/test_voucher.py",
            """
            .......                                                                  [100%]
            7 passed in 3.31s
            """,
            "Run the voucher tests",
            seconds=7,
        ),
        Finish(
            md(
                """
                Vouchers multiply now. The properties that hold over any cart:

                - the order of vouchers does not matter
                - no stack of vouchers makes a price negative
                - two of 20 % give exactly 36 %
                """
            )
        ),
    ),
)

SPLIT: Final = Chapter(
    "Split the pricing module",
    (
        Prompt("Split pricing.py: tax and discount should not know each other."),
        Say("Let me see who imports what before I move anything."),
        Together(
            (
                grep(
                    "from storefront.pricing import",
                    "src",
                    """
                    src/storefront/cart.py:4:from storefront.pricing import discount, tax
                    src/storefront/invoice.py:7:from storefront.pricing import tax
                    src/storefront/feed.py:12:from storefront.pricing import discount
                    """,
                ),
                run("wc -l src/storefront/pricing.py", "412 src/storefront/pricing.py", "Size it"),
            )
        ),
    ),
    (
        Say("Three callers. I move tax first, and keep the old name for one release."),
        write(
            "src/storefront/tax.py",
            '''
            """Value added tax, by country and kind of goods."""

            from decimal import Decimal

            from storefront.money import CENT
            from storefront.rates import rate_of


            def tax(net: Decimal, country: str, kind: str) -> Decimal:
                return (net * rate_of(country, kind)).quantize(CENT)
            ''',
        ),
        edit(
            "src/storefront/pricing.py",
            """
            def tax(net: Decimal, country: str, kind: str) -> Decimal:
                return (net * _rate(country, kind)).quantize(CENT)
            """,
            """
            from storefront.tax import tax  # kept for one release
            """,
        ),
        run(
            "uv run pytest -q",
            """
            ........................................................F................
            FAILED tests/test_feed.py::test_prices_in_the_feed - ImportError: cannot import name
            'discount' from partially initialized module 'storefront.pricing'
            1 failed, 212 passed in 21.40s
            """,
            "Run all tests",
            seconds=22,
            failed=True,
        ),
        Say("An import cycle: the feed reaches discount through pricing. Discount moves as well."),
        edit(
            "src/storefront/feed.py",
            "from storefront.pricing import discount",
            "from storefront.discount import discount",
        ),
        run(
            "uv run pytest -q",
            """
            213 passed in 20.87s
            """,
            "Run all tests again",
            seconds=21,
        ),
        run(
            "uv run mypy src && uv run ruff check",
            """
            Success: no issues found in 48 source files
            All checks passed!
            """,
            "Check types and style",
            seconds=9,
        ),
        Finish(
            md(
                """
                `pricing.py` is split:

                1. `tax.py` knows rates and countries
                2. `discount.py` knows vouchers
                3. `pricing.py` only keeps the old names, for one release

                Neither of the first two imports the other. 213 tests pass, types are clean.
                """
            )
        ),
    ),
)

OLD_NAMES: Final = Chapter(
    "Retire the old names",
    (
        Prompt("The release is out. Remove the old names from pricing.py."),
        grep(
            "storefront.pricing",
            ".",
            "docs/howto/prices.md:14:from storefront.pricing import tax",
        ),
        Say("Only the docs still use them. Removing the module is the last step."),
        ask(
            run(
                "git rm src/storefront/pricing.py",
                "rm 'src/storefront/pricing.py'",
                "Remove the module that only held old names",
                seconds=1,
            )
        ),
        edit(
            "docs/howto/prices.md",
            "from storefront.pricing import tax",
            "from storefront.tax import tax",
        ),
        run("uv run pytest -q", "213 passed in 20.95s", "Run all tests", seconds=21),
        Finish("The old names are gone, the how-to page uses the new one. All 213 tests pass."),
    ),
)

STOREFRONT: Final = Character(
    "storefront",
    "refactor/pricing",
    (ONE_CENT, VOUCHERS, SPLIT, OLD_NAMES),
    hours=1.4,
    opening=2,
)
