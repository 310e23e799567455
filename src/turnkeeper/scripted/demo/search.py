"""The search service in Rust: speed, ranking, what users find."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, md, read, run
from turnkeeper.scripted.steps import Delegate, Finish, Notification, Prompt, Say, Wait

UMLAUTS: Final = Chapter(
    "Find Müller as Muller",
    (
        Prompt(
            "Customers type Muller and do not find Müller. Fold accents, but rank exact higher."
        ),
        read(
            "src/analysis.rs",
            """
            pub fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
                text.unicode_words().map(str::to_lowercase)
            }
            """,
        ),
        edit(
            "src/analysis.rs",
            "text.unicode_words().map(str::to_lowercase)",
            """
            text.unicode_words().map(|word| Token {
                exact: word.to_lowercase(),
                folded: fold(word),
            })
            """,
        ),
        run(
            "cargo test -p analysis",
            "test result: ok. 31 passed; 0 failed; 0 ignored; finished in 0.42s",
            "Test the analysis",
            seconds=15,
        ),
        Finish(
            md(
                """
                Both spellings find each other now, and the exact one ranks first:

                1. `Müller` → Müller (8.1), Muller (5.3)
                2. `Muller` → Muller (8.0), Müller (5.4)

                The index must be built anew once; it grows by 4 %.
                """
            )
        ),
    ),
)

PREFIX: Final = Chapter(
    "Prefix queries at 5 ms",
    (
        Prompt("Suggestions take 40 ms at the 95th percentile. Get them under 5."),
        run(
            "cargo bench -p suggest -- --quiet",
            """
            suggest/one letter    time: [38.1 ms 38.6 ms 39.2 ms]
            suggest/three letters time: [6.90 ms 6.97 ms 7.05 ms]
            """,
            "Measure suggestions",
            seconds=30,
        ),
        Say("One letter matches 60,000 terms and ranks them all. The top ten can be kept."),
        edit(
            "src/suggest.rs",
            "let mut found: Vec<_> = terms.range(prefix..).collect();",
            "if let Some(top) = self.top.get(prefix) { return top.clone(); }",
        ),
        run(
            "cargo bench -p suggest -- --quiet",
            """
            suggest/one letter    time: [0.41 ms 0.42 ms 0.43 ms]  change: -98.9%
            suggest/three letters time: [1.88 ms 1.90 ms 1.93 ms]  change: -72.7%
            """,
            "Measure again",
            seconds=30,
        ),
        Finish(
            "The 95th percentile is at 2.1 ms: prefixes of up to two letters have their top ten."
        ),
    ),
)

AUDIT: Final = Chapter(
    "Who still calls the old API",
    (
        Prompt("Before we remove /v1/search: who still calls it, in which repositories?"),
        Say("Two places to look, so two helpers at once: our repositories and the access logs."),
    ),
    (
        Delegate(
            "Search the repositories",
            "List every file in our repositories that calls /v1/search, with the line.",
            "Three callers: `mobile/src/api/search.ts`, `admin/app/lookup.py` and a load test.",
            (
                run(
                    "rg -n '/v1/search' ~/code --glob '!**/target/**'",
                    """
                    mobile/src/api/search.ts:12
                    admin/app/lookup.py:77
                    gateway/load/steady.js:31
                    """,
                    "Search all repositories",
                    seconds=14,
                ),
                read("mobile/src/api/search.ts", "export const SEARCH = `${BASE}/v1/search`"),
            ),
        ),
        Delegate(
            "Read the access logs",
            "Who called /v1/search in the last seven days? Group by user agent.",
            "98.6 % are mobile 5.x; 212 calls come from one partner's script.",
            (
                run(
                    "zgrep -h '/v1/search' logs/*.gz | goaccess --log-format=COMBINED -o json -",
                    """
                    {"shop-mobile/5.2": 41822, "shop-mobile/5.1": 9120, "curl/8.9": 212}
                    """,
                    "Group last week's calls by user agent",
                    seconds=24,
                ),
            ),
        ),
        Finish("Both helpers are at work. I put their findings together when they are back."),
        Wait(25),
        Notification(),
        Finish("The repositories hold three callers. I still wait for the logs."),
        Wait(12),
        Notification(),
        Finish(
            md(
                """
                Not yet safe to remove. `/v1/search` still has:

                - **mobile 5.x**: 50,942 calls last week (`src/api/search.ts:12`)
                - **admin**: one lookup (`app/lookup.py:77`), an hour of work
                - **a partner's script**: 212 calls with curl, no name attached

                Do you want me to open the change for admin, and draft a mail to the partner?
                """
            )
        ),
        Wait(60),
        Prompt("Only the change for admin."),
        edit("../admin/app/lookup.py", 'get("/v1/search", q=name)', 'get("/v2/search", q=name)'),
        ask(
            run(
                "gh pr create --repo shop/admin --title 'Use /v2/search' --body-file pr.md",
                "https://github.example/shop/admin/pull/1288",
                "Open a pull request for admin",
                seconds=5,
            )
        ),
        Finish("The pull request for admin is open as 1288. Mobile and the partner remain."),
    ),
)

SEARCH: Final = Character(
    "search",
    "perf/prefix-queries",
    (UMLAUTS, PREFIX, AUDIT),
    hours=1.5,
    opening=2,
)
