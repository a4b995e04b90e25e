"""A bot behind aiohttp, one POST a decision: `aiohttp_bot.py DECIDER`. Prints its port."""

from __future__ import annotations

import socket
import sys

from aiohttp import web

from benchmarks.programs.decide import DECIDERS, end_with_standard_input


def main() -> None:
    decide = DECIDERS[sys.argv[1]]

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(decide(await request.json()))

    app = web.Application()
    app.router.add_post("/decide", answer)
    end_with_standard_input()
    door = socket.create_server(("127.0.0.1", 0))
    print(door.getsockname()[1], flush=True)
    web.run_app(app, sock=door, print=None, access_log=None)


if __name__ == "__main__":
    main()
