"""The app: screens, the offline queue, releases."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, md, read, run, write
from turnkeeper.scripted.steps import Finish, Interject, Interrupt, Prompt, Result, Say, Wait

KEYBOARD: Final = Chapter(
    "The keyboard hides the pay button",
    (
        Prompt("On small Androids the keyboard hides the pay button. Reproduce and fix it."),
        read(
            "src/screens/Checkout.tsx",
            """
            <View style={styles.screen}>
              <CardForm onChange={setCard} />
              <PayButton disabled={!card.complete} />
            </View>
            """,
        ),
        edit(
            "src/screens/Checkout.tsx",
            "<View style={styles.screen}>",
            '<KeyboardAvoidingView behavior="padding" style={styles.screen}>',
        ),
        run(
            "pnpm exec maestro test flows/checkout-small.yaml",
            """
             PASS  Checkout on a small screen (4 steps, 31 s)
            """,
            "Run the checkout flow on a small screen",
            seconds=33,
        ),
        Finish("The button stays above the keyboard down to 320 × 534. The flow is a test now."),
    ),
)

OFFLINE: Final = Chapter(
    "Orders without a connection",
    (
        Prompt("Orders placed in a tunnel are lost. Queue them and send them when we are back."),
        write(
            "src/offline/queue.ts",
            """
            import { storage } from "../storage";

            export type Waiting = { key: string; order: Order; tries: number };

            export async function enqueue(order: Order): Promise<void> {
              const waiting: Waiting = { key: crypto.randomUUID(), order, tries: 0 };
              await storage.push("orders", waiting);
            }
            """,
        ),
        edit(
            "src/api/orders.ts",
            "return post('/orders', order)",
            "return online() ? post('/orders', order, { key }) : enqueue(order)",
        ),
        run(
            "pnpm test -- offline",
            """
             PASS  src/offline/queue.test.ts (12 tests)
             Tests: 12 passed, 12 total
            """,
            "Run the offline tests",
            seconds=11,
        ),
        Finish(
            md(
                """
                Orders wait in storage and go out in order once there is a connection:

                - each carries an idempotency key, so a lost reply orders nothing twice
                - after five failures it asks the user instead of trying on
                - a badge shows how many wait

                12 tests pass, one of them kills the app in the middle of sending.
                """
            )
        ),
    ),
    (Wait(110),),
)

DARK: Final = Chapter(
    "Dark mode for the product page",
    (
        Prompt("The product page ignores dark mode. Use the theme's colours everywhere."),
        Say("I go through the hard-coded colours one by one."),
        run(
            "rg -c '#[0-9a-f]{6}' src/screens/Product*", "src/screens/Product.tsx:14", "Count them"
        ),
        edit("src/screens/Product.tsx", 'color: "#222222"', "color: theme.text"),
        run("pnpm exec playwright test product --update-snapshots", None, "Take new screenshots"),
        Interject("leave the brand red as it is"),
        Wait(9),
        Result("14 screenshots written"),
        Finish("13 of 14 colours come from the theme; the brand red stays. Screenshots are new."),
    ),
)

UPGRADE: Final = Chapter(
    "Upgrade the build tools",
    (
        Prompt("Update the dependencies."),
        Say("I take all of them and run the tests after each."),
        run("pnpm up --latest --recursive", None, "Update everything"),
        Wait(12),
        Interrupt(),
        Wait(15),
        Prompt("Only patch releases, please."),
        ask(
            run(
                "pnpm up --recursive",
                "Packages: +6 -6\nDone in 8.1s",
                "Update within the given ranges",
                seconds=9,
            )
        ),
        run("pnpm test", "Tests: 318 passed, 318 total", "Run all tests", seconds=18),
        Finish("Six patch releases, nothing else. All 318 tests pass."),
    ),
)

MOBILE: Final = Character(
    "mobile",
    "feat/offline-queue",
    (KEYBOARD, OFFLINE, DARK, UPGRADE),
    hours=0.5,
    opening=1,
    model="claude-sonnet-5-5",
)
