// The mark of a visitor whom the customer's own system has named.
import { h, icon } from "../../shared/dom.js";
import { gettext } from "../../shared/words.js";

/** The mark, as a list of one element; [] for everybody else. */
export const verified = (row) =>
  row.verified ? [h("span", { class: "chip chip--ok" }, icon("verified_user"), gettext("Verified"))] : [];
