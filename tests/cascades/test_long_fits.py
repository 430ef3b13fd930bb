"""Long mixture fits: what they show while they run, and how a stopped one goes on."""

from __future__ import annotations

import json
from dataclasses import replace

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


def stopped(model: cs.DoubleMixture, data: cs.Cascades, path) -> None:
    """Leave a checkpoint as a search that was killed does."""
    from cascades.mixture import checkpoint

    original = checkpoint.Checkpoint.save

    def save(self: checkpoint.Checkpoint, standing: checkpoint.Standing) -> None:
        self.seconds = 0.0
        original(self, standing)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "save", save)
        with pytest.raises(KeyboardInterrupt):
            model.fit(data, rng=np.random.default_rng(0), checkpoint=path)


def test_a_checkpoint_of_another_table_support_or_setting_is_refused(tmp_path) -> None:
    design, data = small_design(n_cascades=60)
    model = cs.DoubleMixture(design.support, rank=2, passes=3)
    stopped(model, data, tmp_path / "point.npz")
    turned = cs.Network.from_matrix(design.support.matrix.toarray().T, nodes=design.support.nodes)
    others = [
        (data.select(range(59)), model),
        (data, replace(model, support=turned)),
        (data, replace(model, rank=3)),
    ]
    for table, other in others:
        with pytest.raises(cs.InputError, match="belongs to another table or model"):
            other.fit(table, rng=np.random.default_rng(0), checkpoint=tmp_path / "point.npz")


def arrays_of(path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return dict(file)


def saying(arrays: dict[str, np.ndarray], **facts: object) -> dict[str, np.ndarray]:
    about = json.loads(str(arrays["about"])) | facts
    return {**arrays, "about": np.array(json.dumps(about))}


FORGED = {
    "theta too short": lambda a: {**a, "theta": a["theta"][1:]},
    "no column for a node": lambda a: {**a, "u": a["u"][1:]},
    "factors of two ranks": lambda a: {**a, "v": a["v"][:, :1]},
    "a flat factor": lambda a: {**a, "u": a["u"].ravel(), "v": a["v"].ravel()},
    "a rate below 0": lambda a: {**a, "u": -a["u"]},
    "no number": lambda a: {**a, "theta": np.nan * a["theta"]},
    "a preference above 1": lambda a: {**a, "pi": 2.0 + a["pi"]},
    "complex rates": lambda a: {**a, "u": 1j * a["u"]},
    "words": lambda a: {**a, "pi": np.array(["a"] * len(a["pi"]))},
    "objects": lambda a: {**a, "pi": np.array([{}] * len(a["pi"]), dtype=object)},
    "a stage before the first": lambda a: saying(a, stage=-1),
    "a step of no size": lambda a: saying(a, eta=np.inf),
    "a seed without end": lambda a: saying(a, seed=np.inf),
    "no list of steps": lambda a: saying(a, log=3),
    "no facts": lambda a: {**a, "about": np.array("[" * 100_000)},
    "no preferences": lambda a: {k: v for k, v in a.items() if k != "pi"},
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_checkpoint_is_refused_in_a_sentence(tmp_path, name: str) -> None:
    design, data = small_design(n_cascades=60)
    model, path = cs.DoubleMixture(design.support, rank=2, passes=3), tmp_path / "point.npz"
    stopped(model, data, path)
    np.savez(path, **FORGED[name](arrays_of(path)))
    with pytest.raises(cs.InputError, match=r"checkpoint: .*point.npz (is not one|holds impossible)"):
        model.fit(data, rng=np.random.default_rng(0), checkpoint=path)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_truncated_checkpoint_is_refused_in_a_sentence(tmp_path, share: float) -> None:
    design, data = small_design(n_cascades=60)
    model, path = cs.DoubleMixture(design.support, rank=2, passes=3), tmp_path / "point.npz"
    stopped(model, data, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(cs.InputError, match="is not one"):
        model.fit(data, rng=np.random.default_rng(0), checkpoint=path)
    np.save(path.with_suffix(".npy"), np.zeros(3))
    with pytest.raises(cs.InputError, match="is not one"):
        model.fit(data, rng=np.random.default_rng(0), checkpoint=path.with_suffix(".npy"))


def test_a_checkpoint_that_could_not_be_kept_is_refused_before_the_work(tmp_path) -> None:
    design, data = small_design(n_cascades=60)
    model, rng = cs.DoubleMixture(design.support, rank=2, passes=3), np.random.default_rng(0)
    for path in (tmp_path, tmp_path / "no folder" / "point.npz"):
        with pytest.raises(cs.ArgumentError, match="cannot be written"):
            model.fit(data, rng=rng, checkpoint=path)
    path, fit = tmp_path / "point.npz", model.fit(data, rng=rng)
    for other, start in ((replace(model, rank="full"), None), (model, fit)):
        with pytest.raises(cs.ArgumentError, match="only the factorised search"):
            other.fit(data, rng=rng, start=start, checkpoint=path)
    for options in ({"checkpoint": path}, {"start": fit}):
        with pytest.raises(cs.ArgumentError, match="not while settings are chosen"):
            replace(model, rank="auto").fit(data, rng=rng, **options)


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
