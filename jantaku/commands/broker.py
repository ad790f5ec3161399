"""`jantaku broker`: the embedded message broker of a site as a process of its own."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from jantaku.stopping import on_signal, plain_log
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import load_site

LOOK_S = 0.5
_log = logging.getLogger(__name__)


def broker(config: Annotated[Path, typer.Option("--config", "-c", help="Site file.")]) -> None:
    """Run the embedded broker of a site."""
    from table_engine.wire.broker import EmbeddedBroker

    site = load_site(config)
    if site.broker.mode != "embedded":
        raise SettingsError(f"{config}: broker.mode is 'external', so there is no broker to run here")
    plain_log()
    stop = on_signal()
    told = 0
    with EmbeddedBroker(site) as server:
        _log.info("listening on %s:%d", site.broker.host, site.broker.port)
        while not stop.wait(LOOK_S):
            if not server.alive():
                _log.error("%s", server.trouble() or f"the broker ended by itself; its log is in {site.broker.store}")
                raise typer.Exit(1)
            denied = server.denied()
            for refusal in denied[told:]:
                _log.warning("refused: %s", refusal)
            told = len(denied)
