// Short names follow the name while it is typed, until somebody edits them.
import { h, icon } from "../shared/dom.js";
import { gettext } from "../shared/words.js";

/** As short_name of operations/short_names.py: "Sales, überall 2" → "sales-uberall-2"; "" for other letters than a to z. */
function shortName(name, length = 40) {
  const plain = name.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  if (/[^\P{L}a-z]/u.test(plain)) return "";
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, length).replace(/-+$/, "");
}

function follow(field) {
  const name = field.form?.elements[field.name.replace(/slug$/, "name")];
  if (!name || field.readOnly) return;
  const length = Number(field.maxLength) || 40;
  let follows = !field.value || field.value === shortName(name.value, length);
  const edit = h("button", { type: "button", class: "button", onclick: release }, icon("edit"), gettext("Edit"));
  const row = h("div", { class: "short-name" });
  field.replaceWith(row);
  row.append(field, edit);

  /** Locked while it can be made from the name; open where there is nothing to make it from. */
  function lock(locked) {
    field.readOnly = locked;
    edit.hidden = !locked;
  }
  function release() {
    follows = false;
    lock(false);
    field.focus();
    field.select();
  }
  function make() {
    if (!follows) return;
    field.value = shortName(name.value, length);
    lock(Boolean(field.value) || !name.value);
  }
  name.addEventListener("input", make);
  field.addEventListener("input", () => { follows = false; });
  lock(false);
  if (field.getAttribute("aria-invalid") !== "true") make(); // a name may have been typed before this came
}

document.querySelectorAll("input[data-short-name]").forEach(follow);
