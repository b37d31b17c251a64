"""The report in a browser: stepped through by keys and mouse, on a phone, in the dark, and by axe-core's rules.

It needs Chromium and its driver. The rules of axe-core (https://github.com/dequelabs/axe-core) are asked where it is
installed: as the package ``axe-core-python``, or as the file that the variable ``AXE_CORE`` names.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.arena.records.judgements import Judgement
from plyground.arena.report import write_report
from plyground.envs import make_game
from plyground.envs.starting import position_text
from tests.conftest import random_game
from tests.helpers.report_games import MATCH, a_game, record_of

pytestmark = pytest.mark.slow

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
EVIL = "<img src=x onerror=hacked=1><script>hacked=1</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("there is no Chromium with its driver: install the packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--force-prefers-reduced-motion",
        "--window-size=1200,900",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a report on games of tic-tac-toe, some of which ended badly."""
    games = [
        *MATCH,
        a_game("a b", -1.0, ending="illegal", moves=[0, 4, 4], seconds=[0.0, 0.1, 0.1], movers=[-1, 1, 0]),
        a_game("b a", 1.0, ending="failed", reason=f"no answer {EVIL}"),
        *[a_game("a c", 1.0)] * 60,
    ]
    games = [replace(game, players=[EVIL if name == "c" else name for name in game.players]) for game in games]
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, games, blunder_seconds=5)
    return path.as_uri()


def opened(browser: Any, address: str) -> Any:
    browser.get("about:blank")
    browser.get(address)
    return browser


def by_id(browser: Any, name: str) -> Any:
    return browser.find_element("id", name)


def status(browser: Any) -> str:
    return by_id(browser, "status").text


def pieces(browser: Any) -> dict[tuple[float, float], str]:
    """Return the names of the pieces on the board, by where they are."""
    return {
        (float(one.get_attribute("x")) / 100, float(one.get_attribute("y")) / 100): one.get_attribute("href")
        for one in browser.find_elements("css selector", "[data-layer='pieces'] use")
    }


def press(browser: Any, *keys: str) -> None:
    by_id(browser, "viewer").send_keys(*keys)


def test_keys_go_through_a_game_and_to_others(browser: Any, page: str) -> None:
    from selenium.webdriver.common.keys import Keys

    opened(browser, page)
    assert status(browser) == "Initial position."
    assert pieces(browser) == {}
    press(browser, Keys.ARROW_RIGHT)
    assert status(browser) == "Move 1 of 5. Opening: 0."
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    # 0, 4, 1: columns first, so X stands at the top left and below, O in the middle
    assert status(browser) == "Move 3 of 5. a: 1, 1 ms."
    assert pieces(browser) == {(0, 0): "#piece-1", (1, 1): "#piece-2", (0, 1): "#piece-1"}
    marks = browser.find_elements("css selector", "[data-layer='borders'] use")
    assert [one.get_attribute("y") for one in marks] == ["100"]
    press(browser, Keys.ARROW_LEFT)
    assert status(browser).startswith("Move 2 of 5. b: 4")
    press(browser, Keys.END)
    assert status(browser) == "Move 5 of 5. a: 2, 1 ms. End: a wins."
    press(browser, Keys.ARROW_RIGHT)
    assert status(browser).startswith("Move 5 of 5")  # there is no more
    press(browser, Keys.HOME)
    assert status(browser) == "Initial position."
    press(browser, Keys.ARROW_DOWN)
    assert by_id(browser, "players").text == "Game 2 b begins, a moves second: 0–1"
    press(browser, Keys.ARROW_UP, Keys.ARROW_UP)
    assert by_id(browser, "players").text.startswith("Game 1 a begins")


def test_the_mouse_does_the_same(browser: Any, page: str) -> None:
    opened(browser, page)
    actions = webdriver.ActionChains(browser)
    board = by_id(browser, "board")
    width = board.size["width"]
    for _ in range(3):
        actions.move_to_element_with_offset(board, int(0.3 * width), 0).click()
    actions.move_to_element_with_offset(board, -int(0.3 * width), 0).click().perform()
    assert status(browser).startswith("Move 2 of 5")
    for go, expected in (("on", "Move 3"), ("back", "Move 2"), ("last", "Move 5"), ("first", "Initial")):
        browser.find_element("css selector", f"[data-go='{go}']").click()
        assert status(browser).startswith(expected)
    browser.find_element("css selector", "[data-ply='4']").click()
    assert status(browser).startswith("Move 4 of 5")
    assert browser.find_element("css selector", "[data-ply='4']").get_attribute("aria-current") == "step"
    browser.find_element("css selector", "#rows tr:nth-child(3) td").click()
    assert by_id(browser, "players").text.startswith("Game 3 ")
    browser.execute_script("const s = document.getElementById('ply'); s.value = 2; s.dispatchEvent(new Event('input'))")
    assert status(browser).startswith("Move 2 of 8")


def test_links_lead_to_positions_and_to_the_games_of_two(browser: Any, page: str) -> None:
    opened(browser, f"{page}#game-7-3")
    assert status(browser) == (
        "Move 3 of 3. a: 4, 100 ms. The board is that before this move. End: a loses by an illegal move, 4."
    )
    assert len(pieces(browser)) == 2
    link = browser.find_element("css selector", ".payoff a[href^='#pair-']")
    link.send_keys("\n")
    first, second = (int(number) for number in link.get_attribute("href").split("#pair-")[1].split("-"))
    shown = browser.find_elements("css selector", "#rows tr")
    games = browser.execute_script("return JSON.parse(document.getElementById('data').textContent).games")
    both = [game["n"] for game in games if set(game["p"]) == {first, second}]
    assert [int(row.find_element("tag name", "a").text) for row in shown] == both
    assert by_id(browser, "count").text == f"{len(both)} of 68 games"
    blunder = browser.find_element("css selector", ".worst tbody th a")
    place = blunder.text.removeprefix("game ").split(", move ")
    blunder.send_keys("\n")
    assert by_id(browser, "players").text.startswith(f"Game {place[0]} ")
    assert status(browser).startswith(f"Move {place[1]} of ")


def test_filters_leave_the_games_that_fit(browser: Any, page: str) -> None:
    from selenium.webdriver.support.select import Select

    opened(browser, page)
    Select(by_id(browser, "by-result")).select_by_value("broken")
    rows = [row.text for row in browser.find_elements("css selector", "#rows tr")]
    assert [row.split()[0] for row in rows] == ["7", "8"]
    assert "loses by an illegal move, 4" in rows[0]
    assert f"loses by an error: no answer {EVIL}" in rows[1]
    Select(by_id(browser, "by-result")).select_by_value("draw")
    assert by_id(browser, "count").text == "3 of 68 games"


def test_the_reason_of_an_end_that_the_rules_did_not_make(browser: Any, tmp_path: Path) -> None:
    games = [
        a_game("a b", -1.0, ending="time", reason="a took 2 s"),
        a_game("b a", 1.0, ending="adjudicated", reason="a resigns"),
        a_game("a b", 0.0, ending="adjudicated", reason="a dead end"),
        a_game("a b", 0.0, ending="truncated"),
        a_game("a b", 1.0, ending="truncated"),
    ]
    write_report(tmp_path / "page.html", games, blunder_seconds=0)
    opened(browser, (tmp_path / "page.html").as_uri())
    rows = [row.text for row in browser.find_elements("css selector", "#rows tr")]
    ends = ("a loses on time: a took 2 s", "b wins, adjudicated: a resigns", "draw, adjudicated: a dead end")
    ends += ("* 9 broken off", "1–0 5 a wins, truncated")
    assert all(row.endswith(end) for row, end in zip(rows, ends, strict=True))


def test_no_text_of_a_file_runs_as_a_program(browser: Any, page: str) -> None:
    opened(browser, f"{page}#game-8-5")
    assert browser.execute_script("return typeof hacked") == "undefined"
    assert not browser.find_elements("css selector", "img")
    assert EVIL in browser.find_element("css selector", ".cross tbody").text
    assert EVIL in status(browser)
    assert [line for line in browser.get_log("browser") if line["level"] == "SEVERE"] == []


@pytest.mark.parametrize("spec", ["othello", "checkers"])
def test_boards_are_those_of_the_rules(browser: Any, tmp_path: Path, spec: str, rng: np.random.Generator) -> None:
    game = make_game(spec)
    states = random_game(game, rng)
    write_report(tmp_path / "one.html", [record_of(game, states)], blunder_seconds=0)
    assert game.board is not None
    for ply in (0, 1, 7, len(states) // 2, len(states) - 1):
        opened(browser, f"{(tmp_path / 'one.html').as_uri()}#game-1-{ply}")
        found = np.zeros((game.board.rows, game.board.columns), int)
        for (x, y), name in pieces(browser).items():
            found[int(y), int(x)] = int(name.removeprefix("#piece-"))
        assert np.array_equal(found, game.board.pieces(states[ply]))


def test_the_theme_follows_the_system_until_the_button_is_pressed(browser: Any, page: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    def paper() -> str:
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    features = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    try:
        opened(browser, page)
        light = paper()
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        dark = paper()
        assert dark != light
        WebDriverWait(browser, 20).until(lambda _: by_id(browser, "theme").text == "Light")  # told by an event
        by_id(browser, "theme").click()
        assert paper() == light
        opened(browser, page)
        assert paper() == light  # it is remembered
        by_id(browser, "theme").click()
        assert paper() == dark
    finally:
        browser.execute_script("localStorage.clear()")
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_phone_scrolls_tables_and_not_the_page(browser: Any, page: str) -> None:
    phone = {"width": 375, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    try:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        opened(browser, page)
        width = "return [document.documentElement.scrollWidth, innerWidth]"
        assert browser.execute_script(width) == [375, 375]
        small = browser.execute_script(
            "return [...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && e.children.length === 0"
            " && e.textContent.trim() && !e.closest('svg') && parseFloat(getComputedStyle(e).fontSize) < 12)"
            ".map(e => e.textContent)"
        )
        assert small == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [340, 1200])
def test_long_names_leave_the_numbers_in_sight(browser: Any, tmp_path: Path, width: int) -> None:
    """Names without blanks are as wide as their columns, which pushed all others out of the page."""
    games = [replace(one, players=[200 * name for name in one.players]) for one in MATCH]
    write_report(tmp_path / "report.html", games, blunder_seconds=1)
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    try:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        opened(browser, (tmp_path / "report.html").as_uri())
        ends = browser.execute_script(
            "return [...document.querySelectorAll('.wide tr :nth-child(2)')].filter(e => e.checkVisibility())"
            ".map(e => e.getBoundingClientRect().right)"
        )
        assert ends
        assert max(ends) < width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def axe_source() -> str:
    spec = find_spec("axe_core_python")
    places = [os.environ.get("AXE_CORE"), spec and spec.origin and Path(spec.origin).parent / "axe.min.js"]
    found = next((Path(place) for place in places if place and Path(place).is_file()), None)
    if found is None:
        pytest.skip("there is no axe-core: install axe-core-python, or name its axe.min.js in the variable AXE_CORE")
    return found.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 375])
def test_axe_core_finds_nothing(browser: Any, page: str, theme: str, width: int) -> None:
    source = axe_source()
    try:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        opened(browser, f"{page}#game-3-4")
        browser.execute_script(source)
        found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        assert found["passes"]
        assert [
            (one["id"], one["impact"], [node["html"] for node in one["nodes"]][:3]) for one in found["violations"]
        ] == []
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_game_from_a_position_with_what_was_thought(browser: Any, tmp_path: Path) -> None:
    game, plain = make_game("tictactoe"), a_game("a b", 1.0)
    thoughts = [Judgement(0.5, 3, 9, []), Judgement(-0.25, 2, 9, []), None, Judgement(-1.0, 1, 9, [])]
    there = replace(
        plain,
        start=position_text(game, game.play_moves([0])),
        moves=plain.moves[1:],
        opening=0,
        movers=plain.movers[1:],
        seconds=plain.seconds[1:],
        analyses=thoughts,
    )
    path = tmp_path / "report.html"
    write_report(path, [there, plain], blunder_seconds=0)
    from selenium.webdriver.common.keys import Keys

    opened(browser, path.as_uri())
    curve = by_id(browser, "curve")
    assert status(browser) == "First position, set up."
    assert pieces(browser) == {(0, 0): "#piece-1"}
    assert curve.is_displayed()
    lines = [curve.find_element("css selector", f"[data-seat='{seat}']").get_attribute("points") for seat in "01"]
    assert lines == ["50,24.75 100,39", "25,29.5"]  # the second player is to move at first; values are the first one's
    press(browser, Keys.ARROW_RIGHT)
    assert status(browser) == "Move 1 of 4. b: 4, 1 ms, value +0.50."
    press(browser, Keys.ARROW_DOWN)
    assert status(browser) == "Initial position."
    assert not curve.is_displayed()
    assert not browser.get_log("browser")
