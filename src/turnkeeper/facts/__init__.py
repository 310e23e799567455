"""The language: what can be observed, how an observation is named, how it is written down."""
