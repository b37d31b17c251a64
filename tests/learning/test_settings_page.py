"""Where settings of training come from: told once, of papers that are known, and shown in the help and on the page."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from benchmarks.learning import settings
from plyground.arena import TrainingConfig
from plyground.arena.training.alphago import AlphaGoConfig
from plyground.arena.training.alphazero import AlphaZeroConfig
from plyground.arena.training.papers import OURS, PAPERS, cited

CONFIGURATIONS = (AlphaZeroConfig, AlphaGoConfig, TrainingConfig)
MECHANISMS = {  # of AlphaZero's training, which say for themselves where they come from
    "a window of samples": ("window", "window_power", "window_growth"),
    "symmetries": ("symmetry",),
    "openings": ("opening_plies", "earlier_openings"),
    "playout cap": ("cheap_simulations", "full_share"),
    "the value's target": ("root_value_share",),
    "proved values": ("proofs", "decisive"),
    "surprise": ("surprise_share",),
    "the mean of the weights": ("averaging",),
    "clipping": ("clip",),
    "the learning rate": ("learning_rate", "warm_up", "schedule"),
    "gating": ("gating_games", "gating_score"),
    "the root": ("root", "considered", "c_visit", "c_scale", "noise", "noise_alpha", "forced", "temperature_plies"),
}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_mechanism_has_default_help_and_source(mechanism: str) -> None:
    known: dict[str, Any] = AlphaZeroConfig.__dataclass_fields__
    for name in MECHANISMS[mechanism]:
        assert known[name].metadata["what"]
        assert known[name].metadata["source"]
        assert hasattr(AlphaZeroConfig("tictactoe"), name)


def test_sources_are_of_papers_that_are_known_and_each_of_these_is_cited() -> None:
    sources = [one.metadata["source"] for kind in CONFIGURATIONS for one in fields(kind)]
    named = {name for source in sources if source for name in cited(source)}
    assert named == {OURS, *PAPERS}
    assert list(PAPERS) == sorted(PAPERS)


def test_the_documentation_of_a_configuration_has_the_sources() -> None:
    words = " ".join((AlphaZeroConfig.__doc__ or "").split())
    assert (
        "positions are learned. Above 0, at most 1. Default: 1. Source: Wu 2019, section 3.1; ours, measured" in words
    )
    assert "checkpoint_minutes: Minutes after which the run is saved" in words
    assert words.count("Source: ") == sum(bool(one.metadata["source"]) for one in fields(AlphaZeroConfig))


def test_the_page_has_the_table_of_settings_as_the_code_tells_them() -> None:
    """If not: ``python -m benchmarks.learning.settings --write``."""
    page = settings.DOCUMENT.read_text(encoding="utf-8")
    _, _, after = page.partition(f"<!-- {settings.SECTION}: begin -->\n\n")
    table, end, _ = after.partition(f"\n\n<!-- {settings.SECTION}: end -->\n")
    assert end
    assert table.splitlines() == settings.lines_of_page()


def test_the_table_names_each_option_with_its_default() -> None:
    rows = [settings.row_of(one) for one in fields(AlphaZeroConfig)]
    defaults = {option: default for option, default, _, _ in rows}
    assert (defaults["`--simulations`"], defaults["`--proofs`"], defaults["`--ray`"]) == ("32", "on", "off")
    assert (defaults["`--minutes`"], defaults["`--opening-plies`"]) == ("60", "")
    assert not [cell for row in rows for cell in row if "|" in cell or "\n" in cell]
