"""Spec strings, and players made from them."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import pytest

from plyground.agents import (
    MCTS,
    PUCT,
    Agent,
    AlphaBeta,
    Human,
    Mixture,
    Random,
    agent_names,
    agent_usage,
    as_agent,
    best,
    make,
    register_agent,
)
from plyground.agents.teaching.mcts_trace import MCTSNode, _expand
from plyground.agents.teaching.trees import GameNode
from plyground.arena import match
from plyground.arena.grading.answers import ask
from plyground.envs import (
    BoardGameEnv,
    BoardInfo,
    BoardObservation,
    BoardVectorEnv,
    Game,
    SoloEnv,
    as_opponents,
    connect_four,
    make_game,
)
from plyground.envs.outside.spec import parse_spec, same_spec


class TestSpecs:
    @pytest.mark.parametrize(
        ("text", "args", "kwargs"),
        [
            ("random", [], {}),
            (" mcts ( 10 , c = 1.5 ) ", [10], {"c": 1.5}),
            ("ppo(models/c4-v2.zip)", ["models/c4-v2.zip"], {}),
            ("a(b(1, 2), c=[3, 4], d='x,y)')", ["b(1, 2)"], {"c": [3, 4], "d": "x,y)"}),
            ("a(depth=None, flag=True,)", [], {"depth": None, "flag": True}),
            ("a(true, flag=False, other=none)", [True], {"flag": False, "other": None}),
            ("a()", [], {}),
        ],
    )
    def test_parsed(self, text: str, args: list[Any], kwargs: dict[str, Any]) -> None:
        spec = parse_spec(text)
        assert (spec.name, spec.args, spec.kwargs) == (text.strip().partition("(")[0].strip(), args, kwargs)

    @pytest.mark.parametrize(
        "text", ["", "3", "a(", "a)", "a(b))", "a(1", "a(,1)", "a(x=1, x=2)", "a(x=1, 2)", "a('b)"]
    )
    def test_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="cannot read"):
            parse_spec(text)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a" + " " * 20_000 + "!", "it has 20002 characters, expected 10000 at most"),
            ("a" + " " * 9000 + "!", "expected a name"),
            ("random(" * 300 + ")" * 300, "brackets are nested more than 50 deep"),
            ("a(" + "[" * 60 + "]" * 60 + ")", "brackets are nested more than 50 deep"),
        ],
    )
    def test_hostile(self, text: str, message: str) -> None:
        started = time.process_time()
        with pytest.raises(ValueError, match=message) as caught:
            parse_spec(text)
        assert len(str(caught.value)) <= 300
        assert time.process_time() - started < 0.5

    @pytest.mark.parametrize(
        ("one", "other", "same"),
        [
            ("go(komi=7)", "go(komi=7.0)", True),
            ("./nim.py:nim(a=1, b=2)", "./nim.py:nim(b=2.0, a=1)", True),
            ("./nim.py:nim(a=1)", "./mine.py:nim(a=1.0)", False),
            ("go(komi=7)", "go(komi=7.5)", False),
            ("a(b=1)", "a(b=True)", False),
            ("not a spec(", "not a spec(", True),
            ("not a spec(", "a", False),
        ],
    )
    def test_the_same(self, one: str, other: str, same: bool) -> None:
        assert same_spec(one, other) is same_spec(other, one) is same

    @pytest.mark.parametrize("value", ["-" * 3000 + "1", "1+" * 3000 + "1", "9" * 5000, "{[]: 1}", "{[1]}"])
    def test_values_that_python_cannot_read_are_text(self, value: str) -> None:
        assert parse_spec(f"a({value})").args == [value]


class TestAgents:
    def test_made_from_specs(self) -> None:
        agent = make("alphabeta(depth=8, table_mb=1)", "connect_four(rows=5)")
        assert isinstance(agent, AlphaBeta)
        assert (agent.depth, agent.table_mb, agent.game) == (8, 1, connect_four(rows=5))
        assert isinstance(make("mixture(random, alphabeta(depth=2), weights=[1, 3])", "tictactoe"), Mixture)

    def test_mixtures_of_python(self) -> None:
        mixture = Mixture("tictactoe", "random", "minimax", weights=[1e308, 1e308], seed=0)
        drawn = set()
        for _ in range(20):
            mixture.reset()
            drawn.add(type(mixture.drawn).__name__)
        assert drawn == {"Random", "Minimax"}
        for seed in (-1, "x"):
            with pytest.raises(ValueError, match=f"seed must be a whole number, at least 0, got {seed!r}"):
                Mixture("tictactoe", "random", seed=seed)  # pyright: ignore[reportArgumentType]

    @pytest.mark.parametrize(("game", "command"), [("go", "5"), ("chess", "5"), ("chess", "''")])
    def test_a_program_is_a_text(self, game: str, command: str) -> None:
        with pytest.raises(ValueError, match=r"a program is given as in a shell, .*, got"):
            make(f"engine({command})", game)

    def test_numbers_of_numpy(self) -> None:
        agent: Any = make("alphabeta", "connect_four", depth=np.int64(3), seconds=np.float32(0.5), table_mb=np.int8(1))
        assert (agent.depth, agent.seconds, agent.table_mb) == (3, 0.5, 1)
        assert agent.analyse(agent.game.new_state()).depth == 3
        assert AlphaBeta("connect_four", seconds=np.int64(3)).seconds == 3  # pyright: ignore[reportArgumentType]
        with pytest.raises(ValueError, match="seed of agent 'mcts' must be a whole number, at least 0"):
            make("mcts", "connect_four", seed=np.int64(-1))
        with pytest.raises(ValueError, match="c of agent 'mcts' must be a number"):
            make("mcts", "connect_four", c=np.float32("nan"))

    def test_arguments_beside_the_spec_take_the_place_of_its_own(self) -> None:
        for spec in ("mcts(100)", "mcts(simulations=100)", "mcts"):
            assert make(spec, "tictactoe", simulations=200).simulations == 200  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        ("spec", "name"), [("minimax(2, 3)", "evaluate"), ("human(3)", "ask"), ("human(ask=3)", "ask")]
    )
    def test_what_is_no_text_cannot_be_given_by_one(self, spec: str, name: str) -> None:
        with pytest.raises(ValueError, match=f"{name} of agent '.*' cannot be given by text; expected"):
            make(spec, "tictactoe")

    def test_none_is_text_for_a_switch_that_may_be_none(self) -> None:
        """It was refused, as no truth value, where the documentation gives it."""
        tries = [make(f"puct(proofs=true, decisive={text})", "tictactoe") for text in ("none", "true", "false")]
        assert [one._for_forest["decisive"] for one in tries if isinstance(one, PUCT)] == [True, True, False]

    def test_best_is_what_measurements_and_evaluations_say(self) -> None:
        for game, kind in (("connect_four", AlphaBeta), ("go_9x9", MCTS)):
            agent = make("best(seconds=0.25)", game)
            assert isinstance(agent, kind)
            assert agent.seconds == 0.25
        own = connect_four().replace(features=None, weights=None, name="own")
        assert not own.has_evaluation
        assert isinstance(best(own), MCTS)
        assert isinstance(best(own.replace(evaluate=lambda state, player: 0.0)), AlphaBeta)
        with pytest.raises(ValueError, match="seconds must be a number above 0"):
            make("best(seconds=0)", "connect_four")

    def test_each_has_a_usage_that_parses(self) -> None:
        for name in agent_names():
            usage, about = agent_usage(name)
            assert parse_spec(usage).name == name
            assert about.endswith(".")
        with pytest.raises(ValueError, match="unknown agent 'alfabeta': did you mean 'alphabeta'"):
            agent_usage("alfabeta")

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("alfabeta", "unknown agent 'alfabeta': did you mean 'alphabeta'"),
            ("chess", "unknown agent 'chess', which is a game: Choose from"),
            ("go_9x9", "unknown agent 'go_9x9', which is a game: Choose from"),
            ("perfect", "unknown agent 'perfect': Choose from"),  # it was taken for puct
            ("alphabeta(dept=3)", "unknown argument 'dept' of agent 'alphabeta': did you mean 'depth'"),
            ("x" * 3000, "unknown agent 'xxx.*xxx': Choose from"),
            ("mixture(" * 300 + "random" + ")" * 300, "brackets are nested more than 50 deep"),
            ("random(seed='x')", "seed of agent 'random' must be a whole number, got 'x'"),
            ("puct(seed=-1)", "seed of agent 'puct' must be a whole number, at least 0, got -1"),
            ("mcts(threads=100000)", "threads must be a whole number, from 1 to 1024, got 100000"),
            ("mcts(threads=inf)", "threads of agent 'mcts' must be a whole number, got 'inf'"),
            ("mcts(tree_mb=1e999)", "tree_mb of agent 'mcts' must be a number, got inf"),
            ("alphabeta(seconds=True)", "seconds of agent 'alphabeta' must be a number, got True"),
            ("puct(noise=())", r"noise of agent 'puct' must be a number, got \(\)"),
            ("mcts(solver='no')", "solver of agent 'mcts' must be true or false, got 'no'"),
            ("alphabeta(pvs=0)", "pvs of agent 'alphabeta' must be true or false, got 0"),
            ("alphabeta(pvs=none)", "pvs of agent 'alphabeta' must be true or false, got None"),
            ("alphabeta(depth=0)", "depth must be a whole number above 0, got 0"),
            ("alphabeta(depth=-2)", "depth must be a whole number above 0, got -2"),
            ("alphabeta(depth=2.5)", "depth of agent .alphabeta. must be a whole number, got 2.5"),
            ("alphabeta(depth=deep)", "depth of agent .alphabeta. must be a whole number, got .deep."),
            ("alphabeta(nodes=0)", "nodes must be a whole number above 0"),
            ("alphabeta(seconds=0)", "seconds must be a number above 0, got 0"),
            ("alphabeta(table_mb=-1)", "table_mb must be a finite number, at least 0, got -1"),
            ("alphabeta(iterative=False, nodes=10)", "iterative=False searches one depth to its end"),
            ("minimax(depth=0)", "depth must be a whole number above 0"),
            ("mcts(simulations=0)", "simulations must be a whole number above 0, got 0"),
            ("mcts(seconds=-1)", "seconds must be a number above 0, got -1"),
            ("mcts(c=-1)", "c must be a finite number, at least 0, got -1"),
            ("puct(evaluator=1)", "evaluator of agent 'puct' is a function, which text cannot give"),
            ("mcts(1, 2)", "too many positional arguments; expected mcts"),
            ("ppo", "missing a required argument: 'model'; expected ppo"),
            ("random(5", "cannot read"),
            ("mixture()", "a mixture needs at least one agent"),
            ("mixture(random, weights=[1, 2])", "weights must be 1 positive numbers"),
            ("mixture(random, mcts, weights=[1, 0])", "weights must be 2 positive numbers"),
            ("mixture(random, mcts, weights=[1, 1e999])", "weights must be 2 positive numbers"),
            ("mixture(random, mcts, weights=[1, 'x'])", r"weights must be 2 positive numbers, .*, got \[1, 'x'\]"),
            ("mixture(random, mcts, weights=2)", "weights must be 2 positive numbers, one for each agent, got 2"),
            ("mixture(random, seed=-1)", "seed of agent 'mixture' must be a whole number, at least 0, got -1"),
            ("mixture(randon)", "unknown agent 'randon': did you mean 'random'"),
        ],
    )
    def test_refused(self, spec: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            make(spec, "connect_four")

    @pytest.mark.usefixtures("registries")
    def test_registered_by_users(self) -> None:
        class Eager(Random):
            """Plays the first legal action."""

            def __init__(self, game: Any, last: bool = False) -> None:
                super().__init__(game)
                self.last = last

            def act(self, observation: Any, info: Any = None) -> int:
                return int(np.flatnonzero(observation["action_mask"])[-1 if self.last else 0])

        register_agent("eager", Eager)
        register_agent("eager", Eager)
        env = BoardGameEnv("connect_four")
        env.reset()
        assert make("eager(last=True)", "connect_four").act(env.last()[0]) == 6
        with pytest.raises(ValueError, match="already registered"):
            register_agent("mcts", Eager)
        with pytest.raises(ValueError, match="already registered"):
            register_agent("eager", Human)
        register_agent("eager", partial(Eager, last=True))
        with pytest.raises(ValueError, match="'dqn' is already registered"):
            register_agent("dqn", partial(Eager))

    @pytest.mark.usefixtures("registries")
    def test_what_a_registered_constructor_makes_need_have_no_reset(self) -> None:
        class First:
            """Plays the first legal action."""

            def __init__(self, game: Game) -> None:
                self.game = game

            def act(self, observation: BoardObservation, info: BoardInfo) -> int:
                return int(observation["action_mask"].argmax())

        def function(observation: BoardObservation, info: BoardInfo) -> int:
            return int(observation["action_mask"].argmax())

        register_agent("first", First)
        register_agent("function", lambda game: function)
        for spec in ("first", "function"):
            assert isinstance(make(spec, "connect_four"), Agent)
            SoloEnv("connect_four", spec, seat="second").reset(seed=0)
            BoardVectorEnv("connect_four", 2, spec, seat="second").reset(seed=0)
        nothing: Any = lambda game: None  # noqa: E731
        register_agent("nothing", nothing)
        with pytest.raises(ValueError, match=r"'nothing' is None, expected an agent with act\(observation, info\)"):
            make("nothing", "connect_four")

    @pytest.mark.usefixtures("registries")
    @pytest.mark.parametrize("name", ["my agent", "1st", "first()", "", 3])
    def test_names_that_cannot_stand_in_a_spec_are_not_registered(self, name: Any) -> None:
        known = agent_names()
        with pytest.raises(ValueError, match="name of an agent must be a letter"):
            register_agent(name, Random)
        assert agent_names() == known

    @pytest.mark.usefixtures("registries")
    def test_what_cannot_be_called_is_not_registered(self) -> None:
        instance: Any = Random()
        with pytest.raises(ValueError, match=r"expected a class or a function that makes the agent 'one', got Random"):
            register_agent("one", instance)


class TestAsAgent:
    def test_a_spec_is_made_and_an_agent_is_itself(self) -> None:
        made = as_agent("alphabeta(depth=3)", "connect_four(rows=5)")
        assert isinstance(made, AlphaBeta)
        assert made.game == connect_four(rows=5)
        assert as_agent(made, connect_four(rows=5)) is made
        reweighted = AlphaBeta("connect_four", depth=2, weights={"twos": 0.2})  # the same rules, other values
        assert as_agent(reweighted, "connect_four") is reweighted
        anywhere = Random()
        assert as_agent(anywhere, "othello") is anywhere

    @pytest.mark.parametrize("thing", [3, None, Random, object()])
    def test_what_is_none(self, thing: Any) -> None:
        with pytest.raises(
            ValueError, match=r"expected a spec string such as .*, an agent with act\(observation, info\), or a"
        ):
            as_agent(thing, "connect_four")

    @pytest.mark.parametrize(
        "use",
        [
            lambda agent, game: as_agent(agent, game),
            lambda agent, game: as_opponents(agent, game),
            lambda agent, game: SoloEnv(game, agent),
            lambda agent, game: Mixture(game, "random", agent),
            lambda agent, game: match(game, [agent, "random"], games=2),
            lambda agent, game: ask(agent, game, [[]]),
        ],
        ids=["as_agent", "as_opponents", "SoloEnv", "Mixture", "match", "ask"],
    )
    def test_a_player_of_another_game_is_refused_everywhere(self, use: Any) -> None:
        with pytest.raises(ValueError, match=r"plays connect_four\(rows=5\), expected a player of connect_four"):
            use(make("alphabeta(depth=2)", "connect_four(rows=5)"), connect_four())


def test_moves_of_black_are_named_as_blacks_in_trees_and_traces() -> None:
    chess = make_game("chess")
    state = chess.play_moves(["e2e4"])
    names = [chess.move_name(state, action) for action in chess.actions(state)]
    assert [node._moves[-1] for node in GameNode(chess, state, 1, 1).children()] == names
    node = _expand(chess, MCTSNode((), 0, state, chess.actions(state)))
    assert node.moves == (names[0],)
