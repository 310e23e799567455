"""The append-only log: what was heard, kept before anyone asks what it means.

`entry` makes a fact ready to be written, `memory` keeps facts in this process, `sql` keeps
them in a database: `schema` is its shape, `migrate` brings an older file up to it, `writer`
commits in groups, and each database has a module of its own (`sqlite`).
"""
