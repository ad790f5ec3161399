"""`jantaku table`: a virtual table as a process of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jantaku.stopping import on_signal, plain_log
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import TableSettings, load_site

if TYPE_CHECKING:
    from jantaku.faults import Faults
    from table_engine.wire.clock import SharedClock
    from virtual_table.controller import Controller
    from virtual_table.simulation import Simulation


def table(
    config: Annotated[Path, typer.Option("--config", "-c", help="Site file; it must name a clock.")],
    table: Annotated[str, typer.Option(help="Id of the table in the site file.")],
    record: Annotated[Path | None, typer.Option(help="Recorded game to play; none: own players.")] = None,
    game: Annotated[int, typer.Option(help="Which game of the record, from 0.", min=0)] = 0,
    hands: Annotated[int | None, typer.Option(help="Hands to play; none: all, or for ever.", min=1)] = None,
    faults: Annotated[
        Path | None, typer.Option(help="What goes wrong, a TOML file; `jantaku faults` explains it.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes and pixels.")] = 1,
    speed: Annotated[float, typer.Option(help="Simulated seconds a second; 0: as fast as can be.", min=0)] = 1.0,
    pace: Annotated[str, typer.Option(help="How people move: lifelike, brisk or demo.")] = "lifelike",
    hurry: Annotated[float, typer.Option(help="The first so many seconds go as fast as can be.", min=0)] = 0.0,
    wait_first: Annotated[bool, typer.Option(help="Begin when camera and cable are watched.")] = False,
    patient: Annotated[bool, typer.Option(help="Stand still while camera or cable is not watched.")] = False,
    stay: Annotated[bool, typer.Option(help="Go on when the game is over, with an empty table.")] = False,
    style: Annotated[
        str, typer.Option(help="How its tiles are drawn, one of `virtual_table.render.style.STYLES`.")
    ] = "japanese",
    felt: Annotated[str, typer.Option(help="Colour of its cloth.")] = "green",
    control: Annotated[int | None, typer.Option(help="Port of loopback that takes acts of the demo's panel.")] = None,
) -> None:
    """Run a table that is not there: a game as camera pictures and serial bytes."""
    import cv2

    from jantaku.control import Control
    from jantaku.eye import Eye
    from jantaku.faults import Faults, load_faults
    from jantaku.virtual import FRAME_MS, VirtualTable
    from table_engine.wire.clock import SharedClock
    from virtual_table.controller import Controller, SensorFaults
    from virtual_table.render.look import look

    site = load_site(config)
    settings = site.table(table)
    its_clock = site.clock_of(table)
    if its_clock is None:
        raise SettingsError(f"{config}: a virtual table needs `clock`, the file all processes read the time from")
    plain_log()
    stop = on_signal()
    cv2.setNumThreads(1)
    wrong = load_faults(faults) if faults else Faults()
    wrong.check_pictures()
    clock = SharedClock(its_clock, create=True)
    controller = None
    if settings.bridges:
        sensors = SensorFaults(
            drop=wrong.serial.drop,
            duplicate=wrong.serial.duplicate,
            delay_ms=wrong.serial.delay_ms,
            dead=frozenset(wrong.serial.dead),
        )
        controller = Controller(
            Path(settings.bridges[0].port),
            seed=seed,
            faults=sensors,
            noise=wrong.serial.noise,
            lose=wrong.serial.lose,
            start_ms=clock.now_ms(),
        )
    try:
        looks = look(style, felt)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    simulation = _simulation(settings, record, game, hands, wrong, seed, pace, controller, clock)
    camera = next((c for c in settings.cameras if c.role == "overhead"), None)
    virtual = VirtualTable(
        simulation,
        Eye(camera, simulation, wrong.camera, seed, looks) if camera else None,
        controller,
        wrong,
        round(1000 / camera.fps) if camera else FRAME_MS,
        speed,
        round(hurry * 1000),
        wait_first,
        patient,
        stay,
        seed,
    )
    door = Control(virtual.acts(), control) if control is not None else None
    try:
        virtual.run(stop)
    finally:
        virtual.close()
        if door:
            door.close()


def _simulation(
    settings: TableSettings,
    record: Path | None,
    game: int,
    hands: int | None,
    faults: Faults,
    seed: int,
    pace: str,
    controller: Controller | None,
    clock: SharedClock,
) -> Simulation:
    from jantaku import games
    from virtual_table.customs import customs_of
    from virtual_table.motion import LIFELIKE, PACES
    from virtual_table.simulation import Simulation

    paces = {**PACES, "demo": replace(LIFELIKE, take=600, machine=800)}  # nobody comes to see a deal
    if pace not in paces:
        raise SettingsError(f"no pace {pace!r}; there are {', '.join(paces)}")
    if record is None:
        return Simulation.of_players(
            customs_of(settings.ruleset),
            hands=hands,
            fouls=faults.foul,
            seed=seed,
            tile_width_mm=settings.tile_width_mm,
            pace=paces[pace],
            controller=controller,
            clock=clock,
            start_ms=clock.now_ms(),
            tags=settings.tags is not None,
        )
    return Simulation.of_records(
        games.game(record, game, hands).record.hands,
        fouls=faults.foul,
        seed=seed,
        tile_width_mm=settings.tile_width_mm,
        pace=paces[pace],
        controller=controller,
        clock=clock,
        start_ms=clock.now_ms(),
        tags=settings.tags is not None,
    )
