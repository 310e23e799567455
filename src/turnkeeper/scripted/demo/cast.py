"""Who plays in the demo."""

from dataclasses import replace
from itertools import count, islice
from typing import Final

from turnkeeper.scripted.demo.accounts import ACCOUNTS
from turnkeeper.scripted.demo.analytics import ANALYTICS
from turnkeeper.scripted.demo.gateway import GATEWAY
from turnkeeper.scripted.demo.infra import INFRA
from turnkeeper.scripted.demo.mobile import MOBILE
from turnkeeper.scripted.demo.orders import ORDERS
from turnkeeper.scripted.demo.search import SEARCH
from turnkeeper.scripted.demo.storefront import STOREFRONT
from turnkeeper.scripted.demo.telling import Character

CAST: Final = (ORDERS, STOREFRONT, INFRA, GATEWAY, ANALYTICS, SEARCH, ACCOUNTS, MOBILE)
"""In the order in which a smaller demo takes them: the first few show an ask, work, a wait."""


def characters(size: int) -> list[Character]:
    """So many characters; where the cast is too small, others join its projects on branches of
    their own and take up the work elsewhere in the story."""
    endless = (_joining(character, nth) for nth in count() for character in CAST)
    return list(islice(endless, size))


def _joining(character: Character, nth: int) -> Character:
    if nth == 0:
        return character
    turned = nth % len(character.chapters)
    chapters = (*character.chapters[turned:], *character.chapters[:turned])
    branch = f"{character.branch}-{nth + 1}"
    return replace(character, branch=branch, chapters=chapters, opening=0, hours=0.5 + nth % 4)
