"""A port of this machine that nobody listens on."""

from __future__ import annotations

import socket


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
