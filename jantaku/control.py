"""The demo's control: a small HTTP server on loopback that does what the page's panel asks for.

`POST /` takes one JSON object with an `act`; the answer is `{"says": …}` or, with status 400, `{"error": …}`. Only the demo
starts it, only on loopback; the page reaches it through the engine's own web server.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from table_engine.wire.errors import JantakuError, SettingsError

BODY_LIMIT = 4096
Act = Callable[[Mapping[str, Any]], str | Mapping[str, Any]]
"""Gets the request's object, returns what to say about it, or an object with `says` and more. Raises JantakuError when it
cannot be done."""


class Control:
    """Serves `acts` by name in a thread until `close()`."""

    def __init__(self, acts: Mapping[str, Act], port: int = 0) -> None:
        """Port 0 takes a free one; `address` says which. Raises SettingsError when the port is taken."""
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(acts))
        except OSError as error:
            raise SettingsError(f"control port {port} cannot be used ({error.strerror}); choose a free one") from error
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=2)


def perform(acts: Mapping[str, Act], body: bytes) -> tuple[int, Mapping[str, Any]]:
    """Does what a request's body asks for. → (HTTP status, answer)."""
    try:
        asked = json.loads(body)
        if not isinstance(asked, dict):
            return 400, {"error": "not an object"}
        act = acts.get(str(asked.get("act")))
        if act is None:
            return 400, {"error": f"no act {asked.get('act')!r}; there are {', '.join(sorted(acts))}"}
        said = act(asked)
        return 200, {"says": said} if isinstance(said, str) else said
    except ValueError:
        return 400, {"error": "not JSON"}
    except JantakuError as error:
        return 400, {"error": str(error)}


def _handler(acts: Mapping[str, Act]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdigit() or int(length) > BODY_LIMIT:
                self._answer(413, {"error": "too long for an act"})
                return
            self._answer(*perform(acts, self.rfile.read(int(length))))

        def _answer(self, status: int, told: Mapping[str, Any]) -> None:
            body = json.dumps(told, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
            """The page says what happened; the log need not."""

    return Handler
