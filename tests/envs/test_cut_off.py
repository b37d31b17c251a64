"""Games that are cut off after some moves of the learner, as Gymnasium's `TimeLimit` does with single environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.test_seats import Fixed, some_actions
from tests.envs.test_vector import MODES, same_states


@pytest.mark.parametrize("mode", MODES)
def test_games_are_cut_off_where_gymnasium_cuts_them_off(mode: AutoresetMode, rng: np.random.Generator) -> None:
    """``max_episode_steps`` was an unknown parameter."""
    how: dict[str, Any] = {"opponent": Fixed(), "seat": "second", "max_episode_steps": 3}
    ours: Any = gymnasium.make_vec("plyground/TicTacToe-v0", 4, autoreset_mode=mode, **how)
    sync: dict[str, Any] = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": mode}}
    theirs = gymnasium.make_vec("plyground/TicTacToe-v0", 4, **sync, **how)
    found, expected = ours.reset(seed=1), theirs.reset(seed=1)
    cut = both = 0
    for _ in range(60):
        assert (found[0] == expected[0]).all()
        actions = some_actions(ours.action_masks(), rng, illegal=0.1)
        *found, infos = ours.step(actions)
        *expected, their_infos = theirs.step(actions)
        for our_part, their_part in zip(found, expected, strict=True):
            assert (our_part == their_part).all()
        over = found[2] | found[3]
        cut += (found[3] & ~found[2]).sum()
        both += (found[3] & found[2]).sum()
        for ours_seen, theirs_seen in zip(infos.get("final_obs", []), their_infos.get("final_obs", []), strict=True):
            assert np.all(ours_seen == theirs_seen)
        if "final_info" in infos:
            assert (infos["_final_info"] == over).all()
            assert same_states(infos["final_info"]["state"][over], their_infos["final_info"]["state"][over])
        if mode is AutoresetMode.DISABLED and over.any():
            with pytest.raises(ValueError, match="no game of tictactoe is being played in row"):
                ours.step(actions)
            found, expected = (env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs))
        if cut == 3:  # a copy knows which games are over
            other: Any = gymnasium.make_vec("plyground/TicTacToe-v0", 4, autoreset_mode=mode, **how)
            other.load_state_dict(ours.state_dict())
            ours = other
    assert cut > 3
    assert both
