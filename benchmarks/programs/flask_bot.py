"""A bot behind Flask, one POST a decision: `flask_bot.py DECIDER own` or `flask_bot.py DECIDER waitress`.

Its own server is what `app.run` starts: werkzeug's, a thread for each connection. Prints its port.
"""

from __future__ import annotations

import importlib
import logging
import socket
import sys

from flask import Flask, Response, jsonify, request
from werkzeug.serving import make_server

from benchmarks.programs.decide import DECIDERS, end_with_standard_input

THREADS = 16


def main() -> None:
    decide = DECIDERS[sys.argv[1]]
    app = Flask(__name__)
    logging.getLogger("werkzeug").disabled = True

    @app.post("/decide")
    def answer() -> Response:
        return jsonify(decide(request.get_json()))

    end_with_standard_input()
    if sys.argv[2] == "waitress":
        door = socket.create_server(("127.0.0.1", 0))
        print(door.getsockname()[1], flush=True)
        importlib.import_module("waitress").serve(app, sockets=[door], threads=THREADS, _quiet=True)
        return
    server = make_server("127.0.0.1", 0, app, threaded=True)
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
