"""Opens a page in the person's browser, if there is one with a window."""

import os
import webbrowser
from threading import Thread


def show(link: str) -> None:
    """Open the link, without waiting for a browser that takes its time."""
    if _has_window():
        Thread(target=webbrowser.open, args=(link,), daemon=True).start()


def _has_window() -> bool:
    """Whether the page would open beside this terminal, not inside it. Whoever names a browser
    has chosen it, whatever it is."""
    if os.environ.get("BROWSER"):
        return True
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    plain = isinstance(found, webbrowser.GenericBrowser)
    return not plain or isinstance(found, webbrowser.BackgroundBrowser)
