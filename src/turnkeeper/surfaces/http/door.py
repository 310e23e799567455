"""How a browser gets in: a one-time link, a cookie, and the page's own mark against forgery."""

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, Router, get, post
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.params import Parameter
from litestar.response import Redirect

from turnkeeper.errors import LinkSpent
from turnkeeper.surfaces.http.guard import cookie_of, token_of
from turnkeeper.surfaces.http.keys import Keys, Rights

MONTH = 30 * 24 * 3600


class SessionShown(msgspec.Struct, frozen=True):
    """What a page needs to make calls: its rights, and the mark for those that change something."""

    rights: str
    csrf: str


class LinkMade(msgspec.Struct, frozen=True):
    """A path that lets one browser in, once, within ten minutes."""

    path: str


@get("/login", status_code=302, summary="Where a one-time link leads: a cookie, and to the page")
async def login(
    keys: NamedDependency[Keys], code: Annotated[str, Parameter(max_length=200)] = ""
) -> Redirect:
    cookie = keys.redeem(code)
    if cookie is None:
        raise LinkSpent
    kept = Cookie(
        key=keys.cookie_name,
        value=cookie,
        httponly=True,
        samesite="strict",
        path="/",
        max_age=MONTH,
    )
    return Redirect("/", cookies=[kept], headers={"Cache-Control": "no-store"})


@get("/session", summary="What this caller may do, and a page's mark against forgery")
async def show_session(
    request: Request[Any, Any, Any], keys: NamedDependency[Keys]
) -> SessionShown:
    token = token_of(request.headers.get("authorization", ""))
    if token is not None:
        return SessionShown(keys.rights_of_token(token), "")
    cookie = cookie_of(request.headers.get("cookie", ""), keys.cookie_name)
    return SessionShown(Rights.FULL, keys.csrf_of(cookie))


@post("/links", status_code=201, summary="Make a one-time link for a browser")
async def make_link(keys: NamedDependency[Keys]) -> Response[LinkMade]:
    made = LinkMade(f"/login?code={keys.new_code()}")
    return Response(made, headers={"Cache-Control": "no-store"})


door: list[Any] = [login, Router("/api", route_handlers=[show_session, make_link])]
