"""The pages by TLS, with a certificate from a file."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import urllib.request
from pathlib import Path

import pytest
from pydantic import ValidationError
from serving import Served, site_in

from table_engine.web.hub import Hub
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import WebSettings


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl on this machine to make a certificate with")
    certificate, key = tmp_path / "hall.pem", tmp_path / "hall.key"
    command = (
        openssl,
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    )
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    subprocess.run((*command, *subject, "-keyout", key, "-out", certificate), check=True, capture_output=True)
    return certificate, key


def test_pages_by_tls_keep_cookies_off_the_open_line(pair: tuple[Path, Path], tmp_path: Path) -> None:
    served = Served(Hub(("table-1",)), site_in(tmp_path / "data", certificate=pair[0], private_key=pair[1]))
    try:
        assert served.address.startswith("https://")
        trust = ssl.create_default_context(cafile=pair[0])
        key = served.accounts.first_secret()
        ask = urllib.request.Request(
            f"{served.address}api/enter",
            data=f'{{"key": "{key}"}}'.encode(),
            headers={"Content-Type": "application/json", "Origin": served.address.rstrip("/")},
        )
        with urllib.request.urlopen(ask, timeout=20, context=trust) as answer:
            assert "Secure" in answer.headers["set-cookie"]
            assert "max-age" in answer.headers["strict-transport-security"]
    finally:
        served.close()


def test_a_certificate_that_is_none_is_said(tmp_path: Path) -> None:
    wrong = tmp_path / "hall.pem"
    wrong.write_text("no certificate")
    with pytest.raises(SettingsError, match=r"web.certificate .*hall.pem cannot be used"):
        Served(Hub(("table-1",)), site_in(tmp_path / "data", certificate=wrong, private_key=wrong))


def test_a_certificate_needs_its_key() -> None:
    with pytest.raises(ValidationError, match="belong together"):
        WebSettings(certificate=Path("hall.pem"))
