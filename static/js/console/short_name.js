// A short name follows the name while it is typed, until the user edits the short name.
import { h, icon } from "../shared/dom.js";
import { gettext } from "../shared/words.js";

/** As in operations/short_names.py: "Sales, überall 2" → "sales-uberall-2"; "" if other letters than a to z remain. */
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

  /** Lock the field while it follows the name; leave it open if no short name can be made from the name. */
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
  if (field.getAttribute("aria-invalid") !== "true") make(); // a name may have been typed before this module was loaded
}

document.querySelectorAll("input[data-short-name]").forEach(follow);
