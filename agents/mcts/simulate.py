"""The kernel of UCT: simulations, plain or with options, over the four steps of `tree`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.jit import helper, kernel
from ..repetitions import is_drawn, legal_below, mark_drawn, note
from .policies import policy_rollout
from .rollouts import guided_rollout
from .tree import add_children, backpropagate, descend, has_room, select_child
from .uct import back_up_amaf, choose_child, is_proved, prepare_children, prepare_root, prove

__all__ = ["simulate"]


@helper
def latest(tree: Any, length: int) -> tuple[Any, Any]:
    """Return the last action on the path and the one before it; -1 for those before the root."""
    last = np.int64(tree.action[tree.path[length - 1]]) if length > 1 else np.int64(-1)
    before = np.int64(tree.action[tree.path[length - 2]]) if length > 2 else np.int64(-1)
    return last, before


@kernel
def simulate(game, root, moves, scratch, tree, extras, options, policy, repeats, actions, rng, c, simulations):
    """Run simulations from the state ``root[0]``.

    A node that is reached for the first time is rolled out from, and expanded when it is reached again, so that each
    simulation adds one visited node, and memory is spent only below nodes that are visited twice. In a tree that may
    not grow, a node that has no room for children is rolled out from again.

    Args:
        game: the game.
        root: [1] the state at the root.
        moves: the candidates at the root, which become its children in the first simulation.
        scratch: [3] states.
        tree: the `Tree`, which grows.
        extras: what the options need of its nodes, or None.
        options: what is added to plain UCT. None: nothing, and none of it is compiled.
        policy: what draws the moves of the rollouts, see `policies`. None: the game's ``random_action``.
        repeats: a `Repeats`, by which no position comes again in the tree, or one that does is drawn; or None.
        actions: [num_actions] scratch.
        rng: the generator of the rollouts, see `plyground.envs.jit.prng`.
        c: how much to explore, in units of the means.
        simulations: how many simulations to run.

    Returns:
        How many were run before the tree had to grow, or the root was proved.
    """
    if tree.child_count[0] == 0:
        for i in range(moves.size):
            actions[i] = moves[i]
        add_children(tree, np.int64(0), game.player(root[0]), actions, moves.size, rng)
        if options is not None:
            prepare_root(game, tree, extras, options, root[0], scratch[2:])
    note(game, np.int64(0), root[0], repeats)
    for done in range(simulations):
        if not tree.full[0] and not has_room(tree, actions.size):
            return done
        if options is not None:
            if is_proved(extras, options, 0):
                return done
            extras.played[0, -1] += 1
        scratch[0] = root[0]
        state = scratch[0]
        tree.path[0] = 0
        length = 1
        while True:
            # Step 1. Select a node that has no children.
            if options is None:
                length = descend(game, tree, tree.path, length, state, select_child, c)
            else:
                length = descend(game, tree, tree.path, length, state, choose_child, (extras, options, c))

            # Step 2. Expand it if it was visited before, and select one of its children.
            node = np.int64(tree.path[length - 1])
            drawn = is_drawn(game, state, tree.path, length - 1, repeats)
            terminal = (drawn or tree.visits[node] > 0) and game.is_terminal(state)
            drawn = drawn and not terminal
            anew = mark_drawn(tree, tree.path, length, repeats, drawn)
            if options is not None and anew and options.rave > 0:
                extras.amaf_visits[node], extras.amaf_total[node] = 0, 0.0
            if drawn or terminal or tree.visits[node] == 0 or length == tree.path.size:
                break
            if not has_room(tree, actions.size):
                break
            count = legal_below(game, state, tree.path, length - 1, repeats, actions, scratch[2:])
            if count == 0:
                break
            add_children(tree, node, game.player(state), actions, count, rng)
            if options is not None:
                last, before = latest(tree, length)
                prepare_children(game, tree, extras, options, node, state, scratch[2:], last, before)

        note(game, np.int64(tree.path[length - 1]), state, repeats)

        # Step 3. Play the game to its end.
        last, before = latest(tree, length)
        if drawn:
            utility = 0.0  # which proves nothing
        elif options is None:
            policy_rollout(game, state, last, before, policy, actions, rng)
            utility = game.utility(state, 0)
        elif game.is_terminal(state):
            utility = float(game.utility(state, 0))
            if options.solver:
                prove(tree, extras, length, utility)
        else:
            total = 0.0
            for _ in range(options.rollouts):
                scratch[1] = state
                total += guided_rollout(
                    *(game, scratch[1], scratch[2:], last, before, policy),
                    *(options.guided, actions, rng, extras.played),
                )
            utility = total / options.rollouts

        # Step 4. Add the result to the nodes on the way.
        backpropagate(tree, length, utility)
        if options is not None and options.rave > 0:
            back_up_amaf(tree, extras, length, utility)
    return simulations
