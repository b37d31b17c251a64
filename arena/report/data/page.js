"use strict";
// The page's own program: the theme, the list of games, and the board. Text from files is only ever set as text.
(() => {
  const byId = (name) => document.getElementById(name);

  // -- the theme ----------------------------------------------------------------------------------------------------

  const root = document.documentElement;
  const button = byId("theme");
  const stored = () => { try { return localStorage.getItem("plyground-theme"); } catch { return null; } };
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const named = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  if (["dark", "light"].includes(stored())) root.dataset.theme = stored();
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("plyground-theme", root.dataset.theme); } catch { /* the page still changes */ }
    named();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", named);
  named();

  // -- games --------------------------------------------------------------------------------------------------------

  const data = JSON.parse(byId("data").textContent);
  const games = data.games;
  if (!games.length) return;
  const viewer = byId("viewer"), board = byId("board"), svg = board.querySelector("svg"), text = board.querySelector("pre");
  const slider = byId("ply"), curve = byId("curve"), list = byId("moves"), rows = byId("rows");
  const place = new Map(games.map((game, i) => [game.n, i]));
  let shown = games.map((_, i) => i);  // the games that the filters leave, by their places
  let current = 0, ply = 0;

  const player = (game, seat) => data.players[game.p[seat]];
  const moveName = (game, i) => game.l?.[i] ?? data.actions[game.m[i]];
  const hasResult = (game) => game.e !== "truncated" || game.r[0] !== game.r[1];  // else it was broken off
  const points = (game) => {
    if (!hasResult(game)) return "*";
    return game.r[0] === game.r[1] ? "½–½" : game.r[0] > game.r[1] ? "1–0" : "0–1";
  };
  const element = (name, content, attributes = {}) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...(Array.isArray(content) ? content : [content]));
    return made;
  };
  const duration = (micros) => {
    const told = Number(micros.toPrecision(3)); // 0.9999 is a second
    if (told >= 1e9) return `${Math.round(told / 1e6).toLocaleString("en")} s`;
    const [size, unit] = told >= 1e6 ? [1e6, "s"] : told >= 1e3 ? [1e3, "ms"] : [1, "µs"];
    return `${Number((told / size).toPrecision(3))} ${unit}`;
  };
  const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
  const ending = (game) => {
    const loser = player(game, game.r[0] < game.r[1] ? 0 : 1);
    if (game.e === "illegal") return `${loser} loses by an illegal move, ${moveName(game, game.m.length - 1)}`;
    if (game.e === "failed") return `${loser} loses by an error: ${game.w || "no reason is given"}`;
    if (game.e === "time") return `${loser} loses on time: ${game.w || "no reason is given"}`;
    if (!hasResult(game)) return "broken off";
    const how = game.e === "adjudicated" ? `, adjudicated: ${game.w || "no reason is given"}`
      : game.e === "truncated" ? ", truncated" : "";
    return (game.r[0] === game.r[1] ? "draw" : `${player(game, game.r[0] > game.r[1] ? 0 : 1)} wins`) + how;
  };

  // What stands on the board after so many moves: a code for each cell that is not empty.
  function position(game, count) {
    const cells = new Map();
    for (const change of [game.b ?? data.start, ...game.d.slice(0, count)]) {
      for (const value of change) {
        const cell = Math.floor(value / data.codes), code = value % data.codes;
        if (code) cells.set(cell, code); else cells.delete(cell);
      }
    }
    return cells;
  }

  function use(layer, name, cell) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "use");
    made.setAttribute("href", `#${name}`);
    made.setAttribute("x", data.unit * (cell % data.columns));
    made.setAttribute("y", data.unit * Math.floor(cell / data.columns));
    layer.append(made);
  }

  function draw(game) {
    if (text) text.textContent = game.x ? game.x[Math.min(ply, game.x.length - 1)] : "";
    if (!svg) return;
    const layers = {};
    for (const layer of svg.querySelectorAll("[data-layer]")) {
      layer.replaceChildren();
      layers[layer.dataset.layer] = layer;
    }
    if (!game.d) return;
    const cells = position(game, ply);
    for (const [cell, code] of cells) use(layers.pieces, `piece-${code}`, cell);
    if (ply && ply <= game.d.length) {
      const touched = game.d[ply - 1].slice(0, game.t ? game.t[ply - 1] : 1);
      for (const value of touched) {
        const cell = Math.floor(value / data.codes);
        use(layers[svg.dataset.mark], `mark-${cells.get(cell) || 0}`, cell);
      }
    }
    svg.setAttribute("aria-label", `The board after ${ply} of ${game.m.length} moves`);
  }

  // What the searches thought of the game: the values of all moves for the first player, a line for each player.
  function drawCurve(game) {
    curve.toggleAttribute("hidden", !game.v);
    if (!game.v) return;
    const most = Math.max(1, ...game.v.map((value) => Math.abs(value ?? 0)));
    for (const seat of "01") {
      const points = game.v.map((value, i) => [i + 1, game.q[i] === "1" ? -value : value, value, game.q[i]])
        .filter(([, , value, mover]) => value !== null && mover === seat)
        .map(([at, value]) => `${(100 * at) / game.m.length},${20 - (19 * value) / most}`);
      curve.querySelector(`[data-seat="${seat}"]`).setAttribute("points", points.join(" "));
    }
  }

  function said(game) {
    const parts = [];
    if (!ply) parts.push(game.b ? "First position, set up." : "Initial position.");
    else {
      const seat = game.q[ply - 1], name = moveName(game, ply - 1);
      const time = game.s && game.s[ply - 1] ? `, ${duration(game.s[ply - 1])}` : "";
      const value = game.v && game.v[ply - 1] !== null ? `, value ${signed(game.v[ply - 1])}` : "";
      const who = ply <= game.o ? "Opening" : "01".includes(seat) ? player(game, seat) : "At random";
      parts.push(`Move ${ply} of ${game.m.length}. ${who}: ${name}${time}${value}.`);
      if (game.d && ply > game.d.length) parts.push("The board is that before this move.");
    }
    if (ply === game.m.length) parts.push(`End: ${ending(game)}.`);
    return parts.join(" ");
  }

  function go(to) {
    const game = games[current];
    ply = Math.max(0, Math.min(game.m.length, to));
    slider.value = ply;
    slider.setAttribute("aria-valuetext", `${ply} of ${game.m.length}`);
    draw(game);
    const at = (100 * ply) / Math.max(1, game.m.length);
    for (const end of ["x1", "x2"]) curve.querySelector("[data-at]").setAttribute(end, at);
    byId("status").textContent = said(game);
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = list.querySelector(`[data-ply="${ply}"]`);
    if (button) {
      button.setAttribute("aria-current", "step");
      const item = button.parentElement;  // scrolls the list, and never the page
      const top = item.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
    } else list.scrollTop = 0;
  }

  function open(index, to = 0) {
    rows.querySelector("[aria-current]")?.removeAttribute("aria-current");
    current = index;
    const game = games[current];
    slider.max = game.m.length;
    drawCurve(game);
    byId("players").replaceChildren(
      element("span", `Game ${game.n}`, { class: "rank" }), " ", element("strong", player(game, 0)), " begins, ",
      element("strong", player(game, 1)), ` moves second: ${points(game)}`,
    );
    list.replaceChildren(...game.m.map((_, i) => element(
      "li", element("button", moveName(game, i), { type: "button", "data-ply": i + 1, tabindex: -1, ...(i < game.o ? { class: "opening" } : {}) }),
    )));
    go(to);
    const row = rows.querySelector(`[data-game="${current}"]`);
    if (row) {
      row.setAttribute("aria-current", "true");
      const box = byId("list"), top = row.offsetTop;
      if (top < box.scrollTop + 40 || top + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
    }
  }

  function next(step) {
    const at = shown.indexOf(current);
    const to = at < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, at + step));
    if (shown.length) open(shown[to]);
  }

  // -- the list -----------------------------------------------------------------------------------------------------

  const kinds = {
    first: (game) => game.r[0] > game.r[1],
    second: (game) => game.r[0] < game.r[1],
    draw: (game) => game.r[0] === game.r[1] && hasResult(game),
    broken: (game) => game.e === "illegal" || game.e === "failed",
  };

  function filter() {
    const own = byId("by-player").value, other = byId("by-other").value, kind = kinds[byId("by-result").value];
    shown = games.map((_, i) => i).filter((i) => {
      const [first, second] = games[i].p.map(String);
      const fits = (one, two) => (!own || own === one) && (!other || other === two);
      return (fits(first, second) || fits(second, first)) && (!kind || kind(games[i]));
    });
    byId("count").textContent = `${shown.length} of ${games.length} ${games.length === 1 ? "game" : "games"}`;
    rows.replaceChildren(...shown.map((i) => {
      const game = games[i];
      const link = element("a", String(game.n), { href: `#game-${game.n}` });
      const cells = [player(game, 0), player(game, 1), points(game), String(game.m.length), ending(game)];
      return element("tr", [element("th", link, { scope: "row" }), ...cells.map((cell) => element("td", cell))], { "data-game": i });
    }));
    if (shown.length) open(shown.includes(current) ? current : shown[0], shown.includes(current) ? ply : 0);
  }

  for (const select of [byId("by-player"), byId("by-other")]) {
    data.players.forEach((name, i) => select.append(element("option", name, { value: i })));
  }
  byId("filters").addEventListener("change", filter);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("a")) open(Number(row.dataset.game));
  });

  // -- keys and mouse -----------------------------------------------------------------------------------------------

  const keys = {
    ArrowLeft: () => go(ply - 1),
    ArrowRight: () => go(ply + 1),
    Home: () => go(0),
    End: () => go(games[current].m.length),
    ArrowUp: () => next(-1),
    ArrowDown: () => next(1),
  };
  const steps = { first: keys.Home, back: keys.ArrowLeft, on: keys.ArrowRight, last: keys.End };
  viewer.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  viewer.addEventListener("click", (event) => {
    const step = event.target.closest("[data-go]"), move = event.target.closest("[data-ply]");
    if (step) steps[step.dataset.go]();
    else if (move) { go(Number(move.dataset.ply)); viewer.focus({ preventScroll: true }); }
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  board.addEventListener("click", (event) => {
    const box = board.getBoundingClientRect();
    go(ply + (event.clientX - box.left < box.width / 2 ? -1 : 1));
    viewer.focus({ preventScroll: true });
  });

  // Links to a position, #game-12-7, and to the games of two players, #pair-0-1.
  function follow() {
    const game = /^#game-(\d+)(?:-(\d+))?$/.exec(location.hash), pair = /^#pair-(\d+)-(\d+)$/.exec(location.hash);
    if (pair) {
      [byId("by-player").value, byId("by-other").value, byId("by-result").value] = [pair[1], pair[2], ""];
      filter();
    } else if (game && place.has(Number(game[1]))) {
      open(place.get(Number(game[1])), Number(game[2] || 0));
    } else return;
    byId("games").scrollIntoView();
    viewer.focus({ preventScroll: true });
  }
  addEventListener("hashchange", follow);
  addEventListener("click", (event) => {  // the same link once more changes no hash
    if (event.target.closest("a[href^='#']")?.hash === location.hash) follow();
  });

  for (const name of ["viewer", "filters", "list"]) byId(name).hidden = false;
  filter();
  open(0);
  follow();
})();
