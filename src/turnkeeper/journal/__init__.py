"""The append-only log: what was heard, kept before anyone asks what it means.

`entry` makes a fact ready to be written, `memory` keeps facts in this process, `sql` keeps
them in a database: `schema` is its shape, `migrate` brings an older file up to it, `writer`
gathers appends into groups, `scribe` commits a group, `names` numbers the texts that recur,
`bell` wakes followers, and each database makes a `store` in a module of its own (`sqlite`).
"""
