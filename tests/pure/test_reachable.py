"""By which name another machine may call the daemon."""

import pytest

from turnkeeper.daemon.settings import Bind


@pytest.mark.parametrize(
    ("host", "names", "reachable"),
    [
        ("127.0.0.1", {"127.0.0.1"}, ""),
        ("127.0.0.1", {"127.0.0.1", "laptop.lan"}, ""),
        ("192.168.1.7", {"192.168.1.7"}, "192.168.1.7"),
        ("192.168.1.7", {"192.168.1.7", "laptop.lan"}, "laptop.lan"),
        ("0.0.0.0", {"0.0.0.0", "laptop.lan"}, "laptop.lan"),
        ("0.0.0.0", {"0.0.0.0"}, ""),
    ],
)
def test_a_phone_is_told_a_name_that_leads_here(host: str, names: set[str], reachable: str) -> None:
    assert Bind(host, names=frozenset(names)).reachable == reachable
