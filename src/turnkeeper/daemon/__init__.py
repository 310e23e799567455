"""The daemon: sources, journal and projections put together, and kept running."""
