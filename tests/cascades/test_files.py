"""Files of cascades appear whole or not at all."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cascades as cs
from cascades.files import read_rows, whole, write_whole
from tests.cascades.truths import small_design


def test_a_table_is_replaced_whole_and_an_interruption_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = cs.Cascades.from_records([{"a": 0.0, "b": 1.0}], window=2.0)
    new = cs.Cascades.from_records([{"a": 0.0, "b": 1.0}, {"b": 0.0}], window=2.0)
    for name in ("t.json", "t.parquet"):
        cs.save(old, tmp_path / name)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupted)
        for name in ("t.json", "t.parquet"):
            with pytest.raises(KeyboardInterrupt):
                cs.save(new, tmp_path / name)
            assert cs.load(tmp_path / name).to_dict() == old.to_dict()
    for name in ("t.json", "t.parquet"):
        cs.save(new, tmp_path / name)
        assert cs.load(tmp_path / name).to_dict() == new.to_dict()
    assert sorted(os.listdir(tmp_path)) == ["t.json", "t.parquet"]


def test_links_are_followed_and_an_open_descriptor_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "one")
    assert (tmp_path / "link").is_symlink()
    with open(tmp_path / "out", "w", encoding="utf-8") as file:
        write_whole(f"/proc/self/fd/{file.fileno()}", "two")
    assert [(tmp_path / name).read_text() for name in ("real", "out")] == ["one", "two"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "absent" / "t.json"
    with pytest.raises(FileNotFoundError) as caught, whole(target) as part:
        part.write_text("x")
    assert caught.value.filename == str(target)


def test_a_header_of_very_many_columns_is_named_in_part(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(",".join(f"c{k}" for k in range(200_000)) + "\n")
    with pytest.raises(cs.InputError) as refusal:
        cs.Cascades.from_csv(tmp_path / "t.csv", cascade="a", node="b", time="c", window=1.0)
    assert str(refusal.value).endswith("c10, c11 and 199,988 more")


def test_rows_are_as_long_as_the_header_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1\n\n1,2,3\n")
    assert read_rows(tmp_path / "t.csv") == (["a", "b"], [["1", ""], ["1", "2"]])


def every_fit() -> list[
    cs.NetworkFit | cs.RankedNetwork | cs.SuperpositionFit | cs.MixtureFit | cs.LayersFit
]:
    design, data = small_design(n_cascades=60)
    rng = np.random.default_rng(0)
    return [
        cs.NetRate(background=True).fit(data),
        cs.NetInf(10).fit(data),
        cs.ConNIe().fit(data),
        cs.Superposition(design.support).fit(data),
        cs.MMRate(2, n_starts=1, passes=3).fit(data, rng=rng),
        cs.DoubleMixture(design.support, rank=2, passes=3).fit(data, rng=rng),
    ]


WRONG: list[object] = [None, True, -1, math.inf, math.nan, "x", [], {}, [[]], [1, 2]]


def test_a_fit_that_was_tampered_with_is_refused_or_can_be_used(tmp_path: Path) -> None:
    """Every field in turn, and its first entry, becomes something else: nothing but our errors comes out.

    Arrays of a wrong length used to reach the kernels, which then read and wrote beyond them.
    """
    _, data = small_design(n_cascades=60)
    path = tmp_path / "fit.json"
    refused = 0
    for fit in every_fit():
        document = fit.to_dict()
        cases = [{**document, key: value} for key in document for value in WRONG]
        cases += [{k: v for k, v in document.items() if k != key} for key in document]
        lists = [k for k, v in document.items() if isinstance(v, list) and v]
        cases += [{**document, key: [value, *document[key][1:]]} for key in lists for value in WRONG]
        cases += [{**document, key: document[key][1:]} for key in lists]
        for case in cases:
            path.write_text(json.dumps(case))
            try:
                found = cs.load_fit(path)
            except cs.InputError:
                refused += 1
                continue
            found.summary()
            if not isinstance(found, cs.RankedNetwork):
                assert not np.isnan(found.log_likelihood_on(data)).any()
    assert refused > 500


def test_a_mixture_whose_factors_are_those_of_another_network_is_refused() -> None:
    fit = every_fit()[-1]
    assert isinstance(fit, cs.MixtureFit)
    with pytest.raises(cs.ArgumentError, match="their product without its diagonal is not psi"):
        replace(fit, u=2.0 * fit.u)
    with pytest.raises(cs.ArgumentError, match="the same nodes in the same order"):
        replace(fit, theta=cs.Network.from_matrix(np.zeros((2, 2))))
