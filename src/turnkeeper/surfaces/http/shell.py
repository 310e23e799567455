"""The board's page as the package holds it: a shell and what it loads, the same for everybody.

Neither tells anything about anyone, so neither needs a cookie; what the page shows it asks for.
"""

from pathlib import Path
from typing import Annotated, Any, Final

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import Parameter

PAGE: Final = Path(__file__).parent / "page"
"""Where the build of web/ goes; a checkout has it once it is made."""

FOREVER: Final = "public, max-age=31536000, immutable"
"""An asset's name changes with what it holds."""

KINDS: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
NOT_MADE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Turnkeeper</title>
<h1>Turnkeeper runs</h1>
<p>The board's page has not been built in this checkout. <code>make page</code> builds it; then load
this page again. Until then: <code>turnkeeper agents</code> in a terminal, and
<a href="/api/docs">the API</a> for programs.</p>
</html>
"""


def page_of(folder: Path = PAGE) -> list[Any]:
    """What serves the page that was built into this folder, also one built while we run."""

    @get("/", media_type=MediaType.HTML, sync_to_thread=True, summary="The page, open to all")
    def shell() -> str:
        file = folder / "index.html"
        return file.read_text(encoding="utf-8") if file.is_file() else NOT_MADE

    @get(
        "/assets/{name:str}",
        media_type="application/octet-stream",
        sync_to_thread=True,
        summary="A part of the page: a script, a style, an icon",
    )
    def asset(name: Annotated[str, Parameter(max_length=200)]) -> Response[bytes]:
        file = _listed(folder / "assets").get(name)
        kind = KINDS.get(Path(name).suffix)
        if file is None or kind is None:
            raise NotFoundException("The page has no such part")
        return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": FOREVER})

    return [shell, asset]


def _listed(folder: Path) -> dict[str, Path]:
    """What lies there, by name: a name that is not among them leads nowhere."""
    return {file.name: file for file in folder.iterdir()} if folder.is_dir() else {}
