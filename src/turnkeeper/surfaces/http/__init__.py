"""The API, the live stream and the hook intake, over HTTP on this machine."""
