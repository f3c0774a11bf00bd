// The pool's tiles: the layout (which number has which tile) is fetched, states are live; up to 10,000 tiles on a page.
import { subscribe } from "../../live.js";
import { unpackTiles } from "../../live/tiles.js";
import { errorState, getJSON, h, pressOne, skeleton, togglePressed } from "../shared/dom.js";
import { TileBoard, STATES, drawTileLegend, groupsBy } from "./tiles.js";
import { figure, fill, gettext, pgettext, phone } from "../shared/words.js";

export function startTileBoard(page, { open }) {
  const area = document.querySelector("[data-tiles]");
  const legend = document.querySelector("[data-legend]");
  const pager = document.querySelector("[data-tile-pages]");
  const table = document.querySelector("[data-tile-table]");
  const board = new TileBoard(area, { open: (index, number) => open(number) });
  let layout = null;
  let by = "state";
  let only = "";
  let counts = {};
  let stop = null;
  let asTable = false;
  let current = 0;

  const arrange = () => {
    if (!layout || asTable) return;
    const groups = by === "region" ? groupsBy(layout.regions, layout.region, gettext("No region"))
      : by === "switch" ? groupsBy(layout.switches, layout.switch, gettext("No switch")) : null;
    board.layout({ numbers: layout.numbers, groups });
    board.filter(only);
  };
  const filter = (letter) => {
    only = letter;
    drawTileLegend(legend, counts, only, filter);
    if (asTable) drawTable(); else board.filter(letter);
  };

  const load = async (number) => {
    current = number;
    const done = skeleton(area, gettext("Loading numbers…"));
    try {
      layout = await getJSON(`${page.tiles_url}?page=${number}`);
      done();
      if (!layout.numbers.length) { area.replaceChildren(document.querySelector("[data-no-numbers]").content.cloneNode(true)); return; }
      arrange();
      if (layout.states) board.set(layout.states);
      paging();
      stop?.();
      stop = subscribe(`numbers.tiles:${page.slug}:${number}`, { snapshot: (data) => take(data), change: (data) => change(data) });
    } catch (error) {
      done();
      area.replaceChildren(errorState(gettext("Couldn't load the numbers"), gettext("Calls are not affected."), () => load(number)));
    }
  };

  const take = (data) => {
    if (data.layout !== layout.layout) { reload(); return; } // numbers were added or removed
    board.set(data.states);
    fresh();
  };
  const change = (data) => {
    board.change(unpackTiles(data.set));
    fresh();
  };
  const fresh = () => {
    if (asTable) drawTable();
    if (layout.pages === 1) { counts = board.counts(); drawTileLegend(legend, counts, only, filter); }
  };
  let waiting = 0;
  const reload = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => load(current), 500);
  };

  const paging = () => {
    const pages = layout.pages ?? 1;
    pager.hidden = pages < 2;
    if (pages < 2) return;
    const go = (to, word) => h("button", { type: "button", class: "button button--small", disabled: to < 0 || to >= pages, onclick: () => load(to) }, word);
    pager.replaceChildren(
      h("span", { class: "num" }, fill(gettext("Part %(n)s of %(all)s: from %(first)s"), { n: figure(current + 1), all: figure(pages), first: phone(layout.numbers[0]) })),
      h("span", { class: "paging__end" }, go(current - 1, pgettext("pages", "Back")), go(current + 1, gettext("Next"))),
    );
  };

  let drawn = 0;
  const drawTable = () => {
    cancelAnimationFrame(drawn);
    drawn = requestAnimationFrame(() => {
      const body = h("tbody");
      let shown = 0;
      for (let index = 0; index < layout.numbers.length && shown < 500; index += 1) {
        const letter = board.states[index];
        if (only && letter !== only) continue;
        shown += 1;
        body.append(h("tr", {}, h("th", { scope: "row", class: "num" }, h("a", { href: page.number_url.replace("NUMBER", encodeURIComponent(layout.numbers[index])) }, phone(layout.numbers[index]))),
          h("td", {}, h("span", { class: "state-cell" }, h("span", { class: "tile tile--small", "data-state": letter, "aria-hidden": "true" }), STATES[letter] ?? "–")),
          h("td", {}, layout.regions[layout.region[index]] || "–"), h("td", {}, layout.switches[layout.switch[index]] || "–")));
      }
      const head = h("tr", {}, ...[gettext("Number"), gettext("State"), gettext("Region"), gettext("Switch")].map((word) => h("th", { scope: "col" }, word)));
      const top = area.scrollTop;
      area.replaceChildren(h("table", { class: "table" }, h("thead", {}, head), body));
      area.scrollTop = top;
    });
  };

  document.querySelector("[data-group]").addEventListener("click", (event) => {
    const button = event.target.closest("[data-by]");
    if (!button) return;
    by = button.dataset.by;
    pressOne(button);
    arrange();
  });
  table.addEventListener("click", () => {
    asTable = togglePressed(table);
    if (asTable) drawTable(); else arrange();
  });

  load(0);
  return {
    filter,
    /** Show the pool's own counters in the legend while not all tiles are on this page. */
    count(next) {
      if (stop && layout?.pages === 1) return;
      counts = next;
      drawTileLegend(legend, counts, only, filter);
    },
  };
}
