# SPDX-License-Identifier: MIT
"""kexpress.* on the command line: each does what it says, and none of them reaches the kernel."""

import re

import pytest

import abi
import check
from scene import EL1, fit_payload, image_payload, scene

# Every option that there is, and the tests that show it.
SHOWN = {
    "kexpress.mmu": "test_mmu, test_matrix.py",
    "kexpress.debug": "test_debug",
    "kexpress.verify": "test_verify",
    "kexpress.cores": "test_at_most, test_cores.py",
    "kexpress.onerror": "test_onerror",
    "kexpress.initrd": "test_initrd",
}


@pytest.fixture
def payload(tmp_path, kernel, ramdisk):
    return fit_payload(tmp_path / "payload", kernel, ramdisk)


def test_every_option_is_shown():
    table = (abi.TOP / "src/payload/options.c").read_text()
    assert set(re.findall(r'\{"(kexpress\.\w+)"', table)) == set(SHOWN)


@pytest.mark.board
@pytest.mark.parametrize("value", ("on", "off"))
def test_mmu(boot, value, payload):
    with boot(payload, append=f"kexpress.mmu={value}") as s:
        s.run()
        check.everything(s, mmu=value == "on")
        assert s.report.bootargs == ""


@pytest.mark.board
@pytest.mark.parametrize("on", (True, False))
def test_debug(boot, on, payload):
    with boot(payload, append="kexpress.debug" if on else "") as s:
        s.run()
        for step in ("discover", "open", "plan", "map"):
            assert bool(re.search(rf"^kexpress: {step}: ", s.report.console, re.M)) == on


@pytest.mark.board
def test_verify(boot, payload):
    """The last of repeated options counts."""
    data = bytearray(payload.initrd.read_bytes())
    data[len(data) // 2] ^= 1
    payload.initrd.write_bytes(data)
    with boot(payload, append="kexpress.verify=off kexpress.verify=on") as s:
        assert s.run().errors == ["HASH"]
    with boot(payload, append="kexpress.verify=off") as s:
        s.run()
        assert s.report.errors == []
        assert s.report.timing["bytes_hashed"] == 0
        assert "probe: done" in s.report.lines


@pytest.mark.parametrize("value, reason", (("halt", None), ("reset", "guest-reset"),
                                           ("poweroff", "guest-shutdown"), ("", None)))
def test_onerror(value, reason, tmp_path):
    (tmp_path / "payload").write_bytes(b"nothing that is known")
    append = f"kexpress.onerror={value}" if value else ""
    payload = image_payload(tmp_path / "payload", b"nothing that is known", b"")
    with scene(EL1, payload, append=append, onerror=None) as s:
        s.run(last_line="kexpress: halted\r\n")
        assert s.reason == reason
        assert s.report.errors == ["FORMAT"]
        assert ("kexpress: halted" in s.report.lines) == (reason is None)


def test_initrd(tmp_path, kernel, ramdisk):
    """Anywhere in RAM, of any alignment; without it the kernel gets none."""
    payload = image_payload(tmp_path / "payload", kernel, ramdisk)
    with scene(EL1, payload) as s:
        s.run()
        check.everything(s)
    payload = image_payload(tmp_path / "payload", kernel, b"")
    with scene(EL1, payload) as s:
        s.run()
        check.everything(s)
        assert s.report.probe["initrd_end"] == 0


@pytest.mark.board
@pytest.mark.parametrize("word", ("kexpress.nonsense=1", "kexpress.mmu", "kexpress.mmu=maybe",
                                  "kexpress.debug=1", "kexpress.initrd=0x1000"))
def test_unknown(boot, word, payload):
    """Warned of, and removed; what is not ours goes on unchanged."""
    rest = 'quiet root="a b"  x.kexpress.mmu=off kexpress=1 -- kexpress.mmu=off'
    with boot(payload, append=f"{word} {rest}", onerror=None) as s:
        s.run()
        assert s.report.warnings == [f"kexpress: warning: option not understood, ignored: {word}"]
        assert s.report.bootargs == rest
        assert s.report.timing["mmu"] == 1
