"""`privacy-stats aggregate`: count files of reports and print the estimate."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from privacy_stats.aggregation import State, aggregate_files
from privacy_stats.cli.choices import Json, Quiet, RoundFile, read_round
from privacy_stats.cli.figures import Figure, save_figure
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms import RandomisedResponse
from privacy_stats.results import (
    Estimate,
    PopulationMean,
    population_mean,
    unbiased_counts,
    unbiased_mean,
    unbiased_sum,
)


def aggregate_command(
    reports: Annotated[list[Path], typer.Argument(help="Files of reports: .jsonl or .parquet.")],
    round_file: RoundFile,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Continue from and keep this file; safe against crashes.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where the state goes, as JSON.")] = None,
    mean: Annotated[bool, typer.Option("--mean", help="Print the mean instead of the sum.")] = False,
    population: Annotated[
        bool, typer.Option("--population", help="The mean of the population that users are drawn from.")
    ] = False,
    stratified: Annotated[
        bool, typer.Option("--stratified", help="With --population: weigh levels by users, not precision.")
    ] = False,
    figure: Figure = None,
    allow_simulated: Annotated[
        bool, typer.Option("--allow-simulated", help="Accept reports of a seeded generator (studies).")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Aggregate reports and print the unbiased estimate with its standard error.

    Example: privacy-stats aggregate reports.jsonl --round round.json --checkpoint progress.json
    """
    if stratified and not population:
        raise ArgumentError("--stratified: says how a population mean is weighted; add --population")
    round_ = read_round(round_file)
    state = aggregate_files(
        round_,
        reports,
        checkpoint=checkpoint,
        allow_simulated=allow_simulated,
        progress=None if quiet else _Talk(),
    )
    if out is not None:
        state.save(out)
    result = _estimate(state, mean, population, stratified)
    if figure is not None:
        if not isinstance(result, PopulationMean):
            raise ArgumentError("--figure: only --population draws one")
        save_figure(result.plot, figure)
    typer.echo(json.dumps(result.to_dict()) if as_json else result.summary())


def _estimate(state: State, mean: bool, population: bool, stratified: bool) -> Estimate | PopulationMean:
    if population:
        return population_mean(state, weights="stratified" if stratified else "inverse-variance")
    if isinstance(state.round_.mechanism, RandomisedResponse):
        return unbiased_counts(state)
    return unbiased_mean(state) if mean else unbiased_sum(state)


class _Talk:
    """Tells stderr how far it is, from 1.5 seconds on and at most twice a second."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._next = time.monotonic() + 1.5

    def __call__(self, n_reports: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + 0.5
            self._console.print(f"{n_reports:,} reports counted", highlight=False)
