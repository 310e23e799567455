"""Measures in a page: from an input to the next painted frame, and to the answer's sight."""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any, Final, NamedTuple

from playwright.sync_api import CDPSession, Page

WATCH: Final = """() => {
    const after = (then) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = then;
        channel.port2.postMessage(0);
    };
    const painted = (then) => requestAnimationFrame(() => after(then));
    window.bench = { long: [], inputs: [], delays: [], seen: new Set(), last: null };

    /* From the next event of this kind: until a frame is painted, and until one that shows it. */
    bench.arm = (kind, shown) => {
        bench.last = new Promise((done) => {
            const begin = (event) => {
                const from = event.timeStamp;
                let frame = null;
                const look = () => {
                    frame ??= performance.now() - from;
                    if (!shown || shown()) done({ frame, shown: performance.now() - from });
                    else painted(look);
                };
                painted(look);
            };
            addEventListener(kind, begin, { capture: true, once: true });
        });
    };

    const observe = (type, keep, more = {}) => new PerformanceObserver(
        (list) => list.getEntries().forEach(keep)).observe({ type, buffered: true, ...more });
    observe('longtask', ({ duration }) => bench.long.push(duration));
    observe('event', ({ interactionId, duration }) => interactionId && bench.inputs.push(duration),
        { durationThreshold: 16 });

    /* How old a text of the form `tick <epoch ms>` is when it has been painted on this card. */
    bench.tickOn = (id) => {
        const look = () => {
            const card = document.getElementById(id)?.closest('article');
            for (const [word, at] of card?.textContent.matchAll(/tick (\\d{13})/g) ?? []) {
                if (bench.seen.has(word)) continue;
                bench.seen.add(word);
                after(() => bench.delays.push(Date.now() - Number(at)));
            }
        };
        new MutationObserver(look).observe(document.querySelector('main'),
            { childList: true, characterData: true, subtree: true });
    };
}"""


class Took(NamedTuple):
    """Milliseconds from an input until a frame was painted, and until its effect was."""

    frame: float
    shown: float


@dataclass
class Tried:
    """One interaction, tried many times."""

    name: str
    times: list[Took] = field(default_factory=list)

    def try_it(self, page: Page, kind: str, act: Callable[[], object], shown: str = "") -> None:
        """Act, and measure from the event of this kind; `shown` is an expression of the page."""
        page.evaluate(f"bench.arm({kind!r}, {f'() => {shown}' if shown else 'null'})")
        act()
        told: dict[str, Any] = page.evaluate("bench.last")
        self.times.append(Took(told["frame"], told["shown"]))

    def frames(self) -> list[float]:
        return [each.frame for each in self.times]

    def shown(self) -> list[float]:
        return [each.shown for each in self.times]


def p99(numbers: list[float]) -> float:
    return quantiles(numbers, n=100, method="inclusive")[98] if len(numbers) > 1 else numbers[0]


def spread(numbers: list[float]) -> str:
    return f"{median(numbers):8.0f}{p99(numbers):8.0f}{max(numbers):8.0f}"


class Weight(NamedTuple):
    """What a page holds once its garbage is collected."""

    heap: float
    nodes: int
    listeners: int


class Scales:
    """Weighs a page."""

    def __init__(self, page: Page) -> None:
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._session.send("Performance.enable")

    def weigh(self) -> Weight:
        for _ in range(3):
            self._session.send("HeapProfiler.collectGarbage")
        told = self._session.send("Performance.getMetrics")["metrics"]
        found = {each["name"]: each["value"] for each in told}
        megabytes = found["JSHeapUsedSize"] / 1e6
        return Weight(megabytes, int(found["Nodes"]), int(found["JSEventListeners"]))
