"""A sample of the comparison with other implementations; ``python -m tests.compare`` runs it in full."""

from __future__ import annotations

import pytest

from tests.compare.chess import ClassicChess, PythonChess
from tests.compare.classic_go import ClassicGo
from tests.compare.pair import Pair
from tests.compare.pairs import PAIRS

pytestmark = pytest.mark.slow

pytest.importorskip("pyspiel")


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.filterwarnings("ignore:.*Illegal move made:UserWarning")
def test_random_games_are_the_same(pair: Pair | ClassicGo | PythonChess | ClassicChess) -> None:
    assert len(list(pair.run(pair.sample))) == pair.sample
