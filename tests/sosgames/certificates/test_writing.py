"""A file appears whole or not at all, and what is no plain file is never replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from sosgames.certificates.writing import write_whole


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "proof.json"
    write_whole(target, "old")
    write_whole(target, "new é")
    assert target.read_text(encoding="utf-8") == "new é"
    assert os.listdir(tmp_path) == ["proof.json"]


def test_an_interrupted_writing_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "proof.json"
    write_whole(target, "old")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, "new")
    assert target.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["proof.json"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_whole(pipe, "proof")
    reader.join(timeout=10)
    assert read == ["proof"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_is_followed_and_a_descriptor_is_written_to(tmp_path: Path) -> None:
    """Standard output that goes to a file: replacing the name would take the device away from everybody."""
    (tmp_path / "link").symlink_to("proof.json")
    write_whole(tmp_path / "link", "one")
    assert (tmp_path / "link").is_symlink()
    with open(tmp_path / "out", "w", encoding="utf-8") as file:
        write_whole(f"/proc/self/fd/{file.fileno()}", "two")
    assert [(tmp_path / name).read_text() for name in ("proof.json", "out")] == ["one", "two"]
    assert sorted(os.listdir(tmp_path)) == ["link", "out", "proof.json"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "absent" / "proof.json"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(target, "proof")
    assert caught.value.filename == str(target)
