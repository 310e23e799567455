"""The gateway in Go: connections, certificates, tail latency."""

from typing import Final

from turnkeeper.scripted.demo.telling import Chapter, Character, ask, edit, md, read, run
from turnkeeper.scripted.steps import Background, Finish, Notification, Prompt, Say, Wait

CERTIFICATES: Final = Chapter(
    "Reload certificates without a restart",
    (
        Prompt("Renewing the certificate restarts the gateway and drops 40k sockets. Avoid that."),
        read(
            "internal/tls/config.go",
            """
            func Config(c Settings) (*tls.Config, error) {
                pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
                if err != nil {
                    return nil, err
                }
                return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
            }
            """,
        ),
        Say("`GetCertificate` is asked at every handshake, so a watcher can swap the pair."),
        edit(
            "internal/tls/config.go",
            "return &tls.Config{Certificates: []tls.Certificate{pair}}, nil",
            """
            kept := newKeeper(pair)
            go kept.follow(c.Cert, c.Key)
            return &tls.Config{GetCertificate: kept.current}, nil
            """,
        ),
        run(
            "go test ./internal/tls/... -race",
            "ok  \tgateway/internal/tls\t2.118s",
            "Test the certificate keeper under the race detector",
            seconds=9,
        ),
        Finish(
            md(
                """
                New handshakes get the new certificate as soon as the file changes; open sockets
                stay. If the new pair does not parse, the old one is kept and this is logged:

                ```
                level=ERROR msg="certificate kept" reason="private key does not match"
                ```
                """
            )
        ),
    ),
)

TAIL: Final = Chapter(
    "p99 after the upgrade",
    (
        Prompt("p99 went from 18 to 60 ms with Go 1.26. Is it us?"),
        Background("k6 run --vus 400 --duration 120s load/steady.js", "Load test at 400 users"),
        Finish(
            "A two-minute load test runs in the background. I read the profile when it is done."
        ),
        Wait(95),
        Notification(),
        run(
            "go tool pprof -top -nodecount=5 http://localhost:6060/debug/pprof/profile?seconds=20",
            """
            Showing nodes accounting for 9.84s, 61.4% of 16.03s total
                  flat  flat%   sum%        cum   cum%
                 4.12s 25.70% 25.70%      4.40s 27.44%  runtime.scanobject
                 2.30s 14.35% 40.05%      2.31s 14.41%  syscall.Syscall
                 1.48s  9.23% 49.28%      5.02s 31.31%  encoding/json.(*decodeState).object
            """,
            "Profile the gateway under load",
            seconds=22,
        ),
        Finish(
            md(
                """
                It is us, the upgrade only made it visible: a quarter of the time goes to garbage
                from decoding each frame into `map[string]any`. With a struct instead:

                | | before | after |
                |---|---|---|
                | allocations per frame | 41 | 3 |
                | p50 | 3.1 ms | 2.6 ms |
                | p99 | 60 ms | 15 ms |

                The change is in the working tree, 31 lines.
                """
            )
        ),
    ),
)

FLAKY: Final = Chapter(
    "The test that fails once in twenty",
    (
        Prompt("TestReconnect fails about once in twenty runs on CI. Find out why."),
        Say("I run it until it fails, to have a trace."),
        Background(
            "go test ./internal/ws -run TestReconnect -count=200 -race", "Run the test 200 times"
        ),
        Finish("200 runs are under way in the background. I come back when they are done."),
        Wait(70),
        Notification(),
        read(
            "internal/ws/reconnect_test.go",
            """
            client.Close()
            if got := server.Connections(); got != 0 {
                t.Fatalf("connections: got %d, want 0", got)
            }
            """,
        ),
        Finish(
            md(
                """
                11 of 200 runs failed, all at the same line. The test counts connections right after
                `Close`, before the server has seen it:

                ```go
                client.Close()
                if got := server.Connections(); got != 0 {   // races with the read loop
                ```

                Should I make the test wait for the server's `Closed` event, or should `Close`
                itself wait for the other side?
                """
            )
        ),
    ),
    (
        Wait(85),
        Prompt("Let the test wait. Close must stay quick."),
        edit(
            "internal/ws/reconnect_test.go",
            """
            client.Close()
            if got
            """,
            """
            client.Close()
            <-server.Closed(client.ID)
            if got
            """,
        ),
        run(
            "go test ./internal/ws -run TestReconnect -count=200 -race",
            "ok  \tgateway/internal/ws\t41.207s",
            "Run the test 200 times",
            seconds=38,
        ),
        Finish("The test waits for the event now. 200 runs under the race detector, no failure."),
    ),
)

BACKOFF: Final = Chapter(
    "Reconnect with jitter",
    (
        Prompt("After the deploy all clients came back in the same second. Spread them."),
        read(
            "internal/ws/backoff.go",
            """
            func (b *Backoff) Next() time.Duration {
                b.wait = min(2*b.wait, b.Most)
                return b.wait
            }
            """,
        ),
        edit(
            "internal/ws/backoff.go",
            "return b.wait",
            "return b.wait/2 + rand.N(b.wait/2)  // half fixed, half chance",
        ),
        run("go test ./internal/ws/...", "ok  \tgateway/internal/ws\t6.310s", "Test", seconds=8),
        Say("It works here. To see it with real clients I would roll it out to staging."),
        ask(
            run(
                "kubectl -n staging rollout restart deployment/gateway",
                "deployment.apps/gateway restarted",
                "Restart the gateway on staging",
                seconds=4,
            )
        ),
        Finish(
            "Staging came back over 11 seconds instead of one; the accept queue never passed 40."
        ),
    ),
)

GATEWAY: Final = Character(
    "gateway",
    "fix/flaky-reconnect",
    (CERTIFICATES, TAIL, FLAKY, BACKOFF),
    hours=1.9,
    opening=2,
)
