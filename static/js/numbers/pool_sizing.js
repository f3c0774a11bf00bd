// The sizing advisor: measured load, Erlang B, and the cheapest way to keep blocking below the target.
import { errorState, getJSON, h, icon } from "../shared/dom.js";
import { decimal, figure, fill, gettext, percent, timeOf } from "../shared/words.js";

export function startSizing(page, { filter }) {
  const card = document.querySelector("[data-sizing]");
  const body = card.querySelector("[data-sizing-body]");
  const when = card.querySelector("[data-sizing-when]");

  const load = async () => {
    try {
      const sizing = await getJSON(card.dataset.url);
      const drawing = sizing.measured && (await import("./sizing_chart.js"));
      draw(sizing, drawing.SizingChart);
    } catch (error) {
      body.replaceChildren(errorState(gettext("Couldn't load the advice"), gettext("Calls are not affected."), load));
    }
  };

  const stat = (label, value, unit = "") => h("div", {}, h("div", { class: "stat__label" }, label), h("div", { class: "stat__value" }, h("span", { class: "figure" }, value), unit ? h("span", { class: "unit" }, unit) : null));

  const draw = (sizing, SizingChart) => {
    if (!sizing.measured) {
      when.textContent = "";
      body.replaceChildren(h("div", { class: "state" }, icon("query_stats"), h("p", { class: "state__title" }, gettext("No data yet")), h("p", { class: "state__text" }, gettext("Sizing advice needs half an hour with calls."))));
      return;
    }
    when.textContent = fill(gettext("busiest 30 min, from %(time)s"), { time: timeOf(Date.parse(sizing.from)) });
    const plot = h("div", { class: "sizing__plot" });
    const foot = h("div", { class: "card__foot card__foot--advice" }, h("p", {}, h("b", {}, `${sizing.advice.lead} `), sizing.advice.text));
    if (sizing.advice.show) foot.append(h("button", { type: "button", class: "button button--primary button--small", onclick: () => { filter(sizing.advice.show); document.querySelector("[data-tiles]").scrollIntoView({ block: "center" }); } }, sizing.advice.button));
    else if (sizing.advice.url) foot.append(h("a", { class: "button button--primary button--small", href: sizing.advice.url }, sizing.advice.button));
    body.replaceChildren(
      h("div", { class: "sizing__figures" },
        stat(gettext("Offered load"), decimal(sizing.offered_erlangs), "E"),
        stat(gettext("Usable now"), figure(sizing.usable)),
        stat(fill(gettext("Needed for %(share)s"), { share: percent(sizing.target, 0) }), figure(sizing.needed))),
      plot, foot);
    new SizingChart(plot, sizing);
  };
  load();
}
