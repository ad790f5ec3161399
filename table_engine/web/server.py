"""The web server in a thread of the engine's process."""

from __future__ import annotations

import socket
import threading

import uvicorn

from table_engine.web.app import application
from table_engine.web.hub import Hub
from table_engine.wire.errors import SettingsError


class WebServer:
    """Serves a hub until `close()`. Port 0 takes a free one; `address` says which."""

    def __init__(self, hub: Hub, host: str, port: int, demo_control: str | None = None) -> None:
        """Raises SettingsError when the address cannot be taken."""
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise SettingsError(
                f"web address {host}:{port} cannot be used ({error.strerror}); end what listens there or set web.port"
            ) from error
        self.address = f"http://{host}:{self._socket.getsockname()[1]}/"
        app = application(hub, demo_control)
        config = uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def close(self) -> None:
        """Ends the server; open push connections are cut after a second."""
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._socket.close()
