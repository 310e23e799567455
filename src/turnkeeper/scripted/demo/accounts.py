"""Accounts: logins, sessions, passwords."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, grep, md, read, run
from turnkeeper.scripted.steps import Finish, Mode, Plan, Prompt, Say, Together, Wait

RESET: Final = Chapter(
    "Reset links that never expire",
    (
        Prompt("Support says that password reset links from last year still work. Check."),
        grep(
            "reset_token",
            "src",
            """
            src/accounts/reset.py:19:    token = signer.sign(user.email)
            src/accounts/reset.py:31:    email = signer.unsign(token)
            """,
        ),
        Say("They do: the signature has no time in it."),
        edit(
            "src/accounts/reset.py",
            "email = signer.unsign(token)",
            "email = signer.unsign(token, max_age=timedelta(hours=1))",
        ),
        run(
            "uv run pytest -q tests/test_reset.py", "11 passed in 1.08s", "Run the tests", seconds=4
        ),
        Finish(
            md(
                """
                Links last one hour now. Two more things I saw and did not touch:

                - a link can be used more than once within that hour
                - a changed password leaves other sessions logged in

                The second needs sessions that can be revoked.
                """
            )
        ),
    ),
)

THROTTLE: Final = Chapter(
    "Slow down password guessing",
    (
        Prompt("Throttle logins: five tries a minute per account and address."),
        read(
            "src/accounts/login.py",
            """
            async def login(form: Credentials, request: Request) -> Response:
                user = await authenticate(form.email, form.password)
            """,
        ),
        edit(
            "src/accounts/login.py",
            "user = await authenticate(form.email, form.password)",
            """
            await tries.take(form.email.lower(), request.client.host)
            user = await authenticate(form.email, form.password)
            """,
        ),
        ask(
            run(
                "docker compose up -d redis",
                """
                 Container accounts-redis-1  Started
                """,
                "Start Redis for the tests",
                seconds=5,
            )
        ),
        run("uv run pytest -q tests/test_login.py", "23 passed in 5.52s", "Run tests", seconds=8),
        Finish(
            "The sixth try within a minute gets a 429 with `Retry-After`, whether the account "
            "exists or not. 23 tests pass."
        ),
    ),
)

SESSIONS: Final = Chapter(
    "Sessions that can be revoked",
    (
        Mode("plan"),
        Prompt("Plan how we move sessions from signed cookies to the database. No downtime."),
        Together(
            (
                grep(
                    "SignedCookie",
                    "src",
                    """
                    src/accounts/session.py:22:class SignedCookie:
                    src/accounts/login.py:48:    SignedCookie(user.id).attach(response)
                    src/accounts/middleware.py:17:    who = SignedCookie.read(request)
                    """,
                ),
                read(
                    "src/accounts/session.py",
                    """
                    class SignedCookie:
                        def read(request: Request) -> UserId | None: ...
                        def attach(self, response: Response) -> None: ...
                    """,
                ),
            )
        ),
        Say("I have what I need."),
    ),
    (
        Plan(
            md(
                """
                # Sessions in the database

                1. **Write both.** A `sessions` table (id, user, created, last seen, revoked); every
                   login adds a row and puts its id into the cookie beside the signed one.
                2. **Read the new one first**, fall back to the signed cookie. Watch
                   `session_fallback_total` go down.
                3. **Revoke.** A changed password ends all other sessions; a page lists them.
                4. **Stop falling back** after 30 days, when the last old cookie has expired.

                ## Risks

                - One more query per request: cached for 60 s, so a revoked session lives that long
                - Step 1 can be rolled back at any time; after step 4, old cookies mean a new login

                Each step is a release of its own. Step 1 is about 120 lines.
                """
            ),
            filed=True,
        ),
        edit(
            "src/accounts/login.py",
            "SignedCookie(user.id).attach(response)",
            """
            SignedCookie(user.id).attach(response)
            await StoredSession.begin(user.id, request).attach(response)
            """,
        ),
        run("uv run pytest -q", "164 passed in 18.33s", "Run all tests", seconds=20),
        Finish(
            "Step 1 is in place: every login writes both. 164 tests pass. Steps 2 to 4 are not "
            "begun."
        ),
    ),
)

FALL_BACK: Final = Chapter(
    "Read the stored session first",
    (
        Prompt("Step 2, please."),
        edit(
            "src/accounts/middleware.py",
            "who = SignedCookie.read(request)",
            """
            who = await StoredSession.read(request)
            if who is None and (who := SignedCookie.read(request)) is not None:
                FALLBACKS.inc()
            """,
        ),
        run(
            "uv run pytest -q tests/test_middleware.py",
            """
            E       AssertionError: 2 queries for one request, expected 1
            1 failed, 18 passed in 3.02s
            """,
            "Run the middleware tests",
            seconds=6,
            failed=True,
        ),
        Say("The cache is asked after the database. The order is mine to mend."),
        edit(
            "src/accounts/session.py",
            "return await self.rows.get(key) or self.cache.get(key)",
            "return self.cache.get(key) or await self.rows.get(key)",
        ),
        run("uv run pytest -q", "167 passed in 18.90s", "Run all tests", seconds=20),
        Wait(4),
        Finish("Stored sessions are read first, with one query at most. 167 tests pass."),
    ),
)

ACCOUNTS: Final = Character(
    "accounts",
    "feature/stored-sessions",
    (RESET, THROTTLE, SESSIONS, FALL_BACK),
    hours=1.2,
    opening=2,
)
