"""The web server in a thread of the engine's process."""

from __future__ import annotations

import socket
import threading

import uvicorn

from table_engine.web.accounts import Accounts
from table_engine.web.app import application
from table_engine.web.hub import Hub
from table_engine.web.screens import Screens
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import Site


class WebServer:
    """Serves a hub until `close()`. Port 0 takes a free one; `address` says which."""

    def __init__(self, hub: Hub, site: Site, accounts: Accounts) -> None:
        """Raises SettingsError when the address cannot be taken or the certificate cannot be used."""
        web = site.web
        try:
            self._socket = socket.create_server((web.host, web.port), backlog=1024)
        except OSError as error:
            raise SettingsError(
                f"web address {web.host}:{web.port} cannot be used ({error.strerror}); "
                "end what listens there or set web.port"
            ) from error
        port = self._socket.getsockname()[1]
        self.address = f"{'https' if web.certificate else 'http'}://{web.host}:{port}/"
        self.accounts = accounts
        for table in hub.tables:
            hub.keep_past(table, accounts.longest_delay_s(table))
        self._screens = Screens(hub, accounts, site, cookie=f"jantaku-{port}")
        app = application(self._screens)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
            proxy_headers=bool(web.proxies),
            forwarded_allow_ips=list(web.proxies),
            ssl_certfile=web.certificate,
            ssl_keyfile=web.private_key,
        )
        try:
            config.load()
        except OSError as error:
            self._socket.close()
            raise SettingsError(
                f"web.certificate {web.certificate} cannot be used ({error}); check both files"
            ) from error
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def close(self) -> None:
        """Ends the server and every open push; what does not end is cut after a second."""
        self._screens.closing = True
        self._screens.hub.wake()
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._socket.close()
