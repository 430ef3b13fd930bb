"""Long mixture fits: what they show while they run, and how a stopped one goes on."""

from __future__ import annotations

import numpy as np
import pytest

import cascades as cs
from tests.cascades.truths import small_design


def test_a_killed_search_resumes_and_ends_where_it_would_have(tmp_path) -> None:
    design, data = small_design(n_cascades=200)
    model = cs.DoubleMixture(design.support, rank=3, passes=15)
    whole = model.fit(data, rng=np.random.default_rng(1))

    from cascades.mixture import checkpoint

    path, saves = tmp_path / "long.npz", []
    original = checkpoint.Checkpoint.save

    def save(self: checkpoint.Checkpoint, standing: checkpoint.Standing) -> None:
        self.seconds = 0.0
        original(self, standing)
        saves.append(standing)
        if len(saves) in (7, 25):
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "save", save)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                model.fit(data, rng=np.random.default_rng(1), checkpoint=path)
            assert path.exists()
        resumed = model.fit(data, rng=np.random.default_rng(99), checkpoint=path)
    assert not path.exists()
    np.testing.assert_array_equal(resumed.u, whole.u)
    assert resumed.log_likelihood == whole.log_likelihood
    assert any("resumed in stage" in s for s in resumed.steps)


def test_a_checkpoint_of_another_table_or_a_broken_one_is_refused(tmp_path) -> None:
    design, data = small_design(n_cascades=60)
    model = cs.DoubleMixture(design.support, rank=2, passes=3)
    path = tmp_path / "point.npz"
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(cs.InputError, match="is not one"):
        model.fit(data, rng=np.random.default_rng(0), checkpoint=path)
    with pytest.raises(cs.ArgumentError, match="only the factorised search"):
        cs.DoubleMixture(design.support, rank="full").fit(data, rng=np.random.default_rng(0), checkpoint=path)


def test_progress_is_shown_on_a_terminal_after_a_moment_and_gone_at_the_end(monkeypatch) -> None:
    from cascades import progress

    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    design, data = small_design(n_cascades=60)
    seen: list[tuple[int, int]] = []

    class Bar:
        task_ids = (0,)

        def __init__(self, *_: object, **__: object) -> None:
            self.total = 0

        def start(self) -> None:
            seen.append((0, -1))

        def add_task(self, label: str, total: int) -> None:
            assert label == "passes"
            self.total = total

        def update(self, _: int, completed: int) -> None:
            seen.append((completed, self.total))

        def stop(self) -> None:
            seen.append((-1, -1))

    monkeypatch.setattr(progress, "Progress", Bar)
    model = cs.DoubleMixture(design.support, rank=2, passes=4)
    model.fit(data, rng=np.random.default_rng(0))
    counts = [c for c, total in seen if total > 0]
    assert seen[0] == (0, -1)
    assert seen[-1] == (-1, -1)
    assert counts == sorted(counts)
    assert 0 < counts[-1] <= seen[1][1]
    seen.clear()
    model.fit(data, rng=np.random.default_rng(0), quiet=True)
    assert seen == []
