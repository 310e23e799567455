"""What goes wrong on request."""

import msgspec


class Faults(msgspec.Struct, frozen=True):
    """How an agent misbehaves, as clients have been seen to.

    `drop_hooks` is the share of hook calls that never reach the spool. A torn line is
    written in two pieces with a pause between; a client killed meanwhile leaves the first
    piece for good. With a late flush the transcript lags behind, and a kill loses what
    was not yet written.
    """

    drop_hooks: float = 0.0
    torn_lines: bool = False
    late_flush_seconds: float = 0.0
    no_registry: bool = False
    no_spool: bool = False
    seed: int = 0


NO_FAULTS = Faults()
