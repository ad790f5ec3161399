"""A site for benchmarks of the bridge: a broker that can be killed, the bridge as a process of its own, the engine's end."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "wire"))

from wire_brokers import Mosquitto, free_port

from table_engine.wire.access import ENGINE_ROLE, Door, door, node_role
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.consumer import EngineNode
from table_engine.wire.settings import load_site

BROKERS = ("embedded", "mosquitto")


class Site:
    """Table `t1` with the bridge `ctl` at `folder/tty`. `broker` is one of `BROKERS`; `clock` a line for the site file."""

    def __init__(self, folder: Path, broker: str, clock: str = "") -> None:
        folder.mkdir()
        self.tty = folder / "tty"
        self._path = folder / "site.toml"
        self._external: Mosquitto | None = None
        if broker == "mosquitto":
            program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
            if program is None:
                raise SystemExit("mosquitto is not installed (apt-get install mosquitto)")
            self._external = Mosquitto(folder, program)
            at = self._external.door(node_role("t1", "ctl"))
            words = f'mode = "external"\nport = {at.port}\nusername = "{at.username}"\npassword = "{at.password}"\n'
        else:
            words = f'port = {free_port()}\nstore = "broker"\n'
        self._path.write_text(
            f'venue = "hall"\ndata = "var"\n{clock}[broker]\n{words}'
            f'[[tables]]\nid = "t1"\n[[tables.bridges]]\nid = "ctl"\nport = "{self.tty}"\n'
        )
        self._site = load_site(self._path)
        self._embedded = EmbeddedBroker(self._site)
        self._bridge: subprocess.Popen | None = None

    def start_broker(self) -> None:
        (self._external or self._embedded).start()

    def kill_broker(self) -> None:
        child = (self._external or self._embedded)._child
        child.kill()
        child.wait()

    def start_bridge(self) -> None:
        command = (sys.executable, "-m", "jantaku", "bridge", "-c", self._path, "--table", "t1", "--id", "ctl")
        self._bridge = subprocess.Popen(command)

    def engine(self, **options: object) -> EngineNode:
        return EngineNode(self._door(), "hall", ["t1"], boot=1, backoff_s=(1, 1), **options)

    def cpu_s(self) -> float:
        """Processor time the bridge has used."""
        fields = Path(f"/proc/{self._bridge.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """What the bridge holds of the machine's memory, MiB."""
        lines = Path(f"/proc/{self._bridge.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def stop(self) -> None:
        if self._bridge is not None:
            self._bridge.terminate()
            self._bridge.wait()
        (self._external or self._embedded).stop()

    def _door(self) -> Door:
        return self._external.door(ENGINE_ROLE) if self._external else door(self._site, ENGINE_ROLE)

    def __enter__(self) -> "Site":
        self.start_broker()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
