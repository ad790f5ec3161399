"""The kinds of table controllers, by the name the site file gives (`device`)."""

from __future__ import annotations

from typing import Protocol

from firmware_bridge.device import Device
from firmware_bridge.devices.ascii_line import AsciiLineDevice
from firmware_bridge.devices.modbus import ModbusDevice
from firmware_bridge.devices.reference import ReferenceDevice


class Maker(Protocol):
    """Makes the adapter of one device. `request` is a number that differs between runs. Raises DeviceError when something
    it needs is not installed."""

    def __call__(self, *, request: int) -> Device: ...


DEVICES: dict[str, Maker] = {"reference": ReferenceDevice, "ascii-line": AsciiLineDevice, "modbus": ModbusDevice}
