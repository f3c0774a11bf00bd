// The mark of a visitor whose identity the customer's own system has verified.
import { h, icon } from "../../shared/dom.js";
import { gettext } from "../../shared/words.js";

/** Return the mark as a list of one element, or [] for other visitors. */
export const verified = (row) =>
  row.verified ? [h("span", { class: "chip chip--ok" }, icon("verified_user"), gettext("Verified"))] : [];
