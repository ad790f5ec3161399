"""What a program, file or wire did wrong. What a *player* did wrong is a value (a foul), never an exception.

    JantakuError
    ├── SettingsError   a site file, rule set or command line is wrong: names the file and the key
    ├── RecordError     a game record or journal cannot be read: names the file and the line or hand
    ├── WireError       a message on the wire is malformed or of a version we do not speak: names source and topic
    ├── DeviceError     a port or table controller is missing, taken or talks nonsense: names the device
    ├── CameraError     a camera or picture gives nothing usable: names the source
    └── BrokerError     the message broker cannot start or be reached: names address and port

The message is one sentence a person at a venue can act on: what, where, what to do.
"""

from __future__ import annotations


class JantakuError(Exception):
    """Root of everything raised on purpose. `str()` is fit for people."""


class SettingsError(JantakuError):
    pass


class RecordError(JantakuError):
    pass


class WireError(JantakuError):
    pass


class DeviceError(JantakuError):
    pass


class CameraError(JantakuError):
    pass


class BrokerError(JantakuError):
    pass
