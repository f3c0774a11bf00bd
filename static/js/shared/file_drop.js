// A field for one CSV or XLSX file: chosen or dropped, and checked before it is sent.
import { fill, figure, gettext } from "./words.js";

const LIMIT_BYTES = 32 * 1024 * 1024;

/** Start the file field of a form: input[type=file], [data-drop], [data-file-name], [data-error]. */
export function startFile(form) {
  const input = form.querySelector("input[type=file]");
  const drop = form.querySelector("[data-drop]");
  const name = form.querySelector("[data-file-name]");
  const error = form.querySelector("[data-error]");
  const complain = (sentence) => {
    error.hidden = !sentence;
    error.lastElementChild.textContent = sentence;
    input.toggleAttribute("aria-invalid", Boolean(sentence));
  };
  const check = () => {
    const file = input.files[0];
    name.textContent = file ? file.name : gettext("Choose a file or drop it here");
    drop.classList.toggle("drop--chosen", Boolean(file));
    if (!file) return gettext("Choose a file first.");
    if (!/\.(csv|tsv|txt|xlsx)$/i.test(file.name)) return gettext("Choose a CSV or XLSX file. Nothing was added.");
    if (file.size > LIMIT_BYTES) return fill(gettext("The file is %(n)s MB. Files can be up to 32 MB. Nothing was added."), { n: figure(file.size / 1048576) });
    if (!file.size) return gettext("The file is empty. Nothing was added.");
    return "";
  };
  input.addEventListener("change", () => complain(input.files.length ? check() : ""));
  form.addEventListener("submit", (event) => {
    const sentence = check();
    complain(sentence);
    if (sentence) { event.preventDefault(); event.stopPropagation(); input.focus(); }
  });
  form.noValidate = true;
  for (const kind of ["dragover", "dragenter"]) drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("drop--over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("drop--over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("drop--over");
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    complain(check());
  });
}
