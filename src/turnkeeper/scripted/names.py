"""The names a client gives to things, drawn from a seed so that a run can be repeated."""

import string
from random import Random
from uuid import UUID

_DIGITS = string.digits + string.ascii_lowercase


class Names:
    def __init__(self, random: Random) -> None:
        self._random = random

    def uuid(self) -> str:
        return str(UUID(int=self._random.getrandbits(128), version=4))

    def hex(self, digits: int) -> str:
        return f"{self._random.getrandbits(4 * digits):0{digits}x}"

    def call(self) -> str:
        return f"toolu_{self.hex(20)}"

    def message(self) -> str:
        return f"msg_{self.hex(20)}"

    def subagent(self) -> str:
        return f"a{self.hex(16)}"

    def task(self) -> str:
        return "b" + "".join(self._random.choices(_DIGITS, k=8))
