// Files in rooms: chosen, dropped or pasted, previewed, sent with progress, and shown in the conversation.
import { RequestFailed, h, icon } from "../shared/dom.js";
import { newId } from "./ids.js";
import { toastFailure } from "../shared/toast.js";
import { decimal, figure, fill, gettext } from "../shared/words.js";

const MEGABYTE = 1024 * 1024;
const GOOD_FOR = 540_000; // ms; a file's address is valid for at least 10 minutes
const LONGEST = 600_000; // ms; timeout of one upload
const SHOWN = [240, 180]; // largest size of a picture in the conversation
const open = new Set(); // all Files objects of this page

/** Format a size: 96 kB, 2.4 MB. */
function sizeOf(bytes) {
  return bytes < MEGABYTE ? `${figure(Math.max(1, bytes / 1024))} kB` : `${decimal(bytes / MEGABYTE)} MB`;
}

/** Describe which files are allowed. */
function takenWords({ mb, kinds }) {
  const words = !kinds.includes("application/pdf") ? gettext("Pictures up to %(n)s MB") : kinds.length === 1 ? gettext("PDFs up to %(n)s MB") : gettext("Pictures and PDFs up to %(n)s MB");
  return fill(words, { n: mb });
}

/** Return a thumbnail of a chosen file. It is drawn, because the page may not load pictures from elsewhere. */
function thumbOf(file) {
  const box = h("span", { class: "attachment__sign", "aria-hidden": "true" }, file.type === "application/pdf" ? "PDF" : icon("image"));
  if (file.type.startsWith("image/")) {
    createImageBitmap(file, { resizeHeight: 96 }).then((bitmap) => {
      const canvas = h("canvas", { width: bitmap.width, height: bitmap.height });
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      bitmap.close();
      box.replaceChildren(canvas);
    }).catch(() => {}); // the server reports what is wrong with the file
  }
  return box;
}

const wordsOf = (name, size) => h("span", { class: "attachment__words" }, h("b", { class: "attachment__name" }, name), h("span", { class: "attachment__size" }, sizeOf(size)));

export class Files {
  /**
   * The files of one room.
   * @param {{policy: {mb: number, kinds: string[]} | null, list: () => Promise<any>, post: () => {url: string, headers: object, fields: object}}} options
   *   policy: the files allowed, null for none; list: fetch the files with their addresses; post: where to send a file
   */
  constructor({ policy, list, post }) {
    Object.assign(this, { policy, list, post });
    this.addresses = new Map(); // id → {url, since}
    this.reading = null;
    this.chosen = []; // File objects, not sent yet
    this.going = []; // being sent, waiting or failed
    this.allowed = () => true;
    open.add(this);
  }

  // -- shown --------------------------------------------------------------------------------------

  hasAddress(id) {
    return Date.now() - (this.addresses.get(id)?.since ?? -Infinity) < GOOD_FOR;
  }

  /** Return the address of a file. One request fetches the addresses of all files in the room. */
  async address(id) {
    for (let round = 0; round < 2 && !this.hasAddress(id); round += 1) { // a request already on its way may not include a new file
      this.reading ??= this.list()
        .then(({ attachments }) => attachments.forEach((each) => this.addresses.set(each.id, { url: each.url, since: Date.now() })))
        .finally(() => { this.reading = null; });
      await this.reading;
    }
    if (!this.hasAddress(id)) throw new RequestFailed(gettext("This file is no longer available"), "", 404);
    return this.addresses.get(id).url;
  }

  /** Return the element of a message's file: a picture that opens, or a row with a download. */
  show(file) {
    const isPicture = file.kind.startsWith("image/");
    const link = h("a", { class: `attachment attachment--${isPicture ? "picture" : "file"}`, href: "#", target: isPicture && "_blank", rel: "noopener", download: isPicture ? null : file.name });
    const image = isPicture ? this.picture(file) : null;
    const load = async () => {
      link.href = await this.address(file.id);
      if (image) image.src = link.href;
    };
    link.append(...(image ? [image] : [h("span", { class: "attachment__sign", "aria-hidden": "true" }, "PDF"), wordsOf(file.name, file.size), icon("download"), h("span", { class: "visually-hidden" }, gettext("Download"))]));
    let failed = 0;
    const gone = () => link.replaceChildren(icon("broken_image"), h("span", { class: "attachment__size" }, gettext("This file is no longer available")));
    image?.addEventListener("error", () => {
      failed += 1;
      this.addresses.delete(file.id);
      if (failed > 1) gone();
      else load().catch(gone);
    });
    link.addEventListener("click", (event) => {
      if (this.hasAddress(file.id) && link.getAttribute("href") !== "#") return;
      event.preventDefault();
      load().then(() => link.click(), toastFailure);
    });
    load().catch(() => {}); // fetched again when the user clicks
    return link;
  }

  picture({ name, width, height }) {
    const scale = Math.min(1, SHOWN[0] / width, SHOWN[1] / height);
    return h("img", { alt: fill(gettext("Picture %(name)s"), { name }), width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) });
  }

  // -- chosen -------------------------------------------------------------------------------------

  /** Let the user choose, drop and paste files for this form, while `allowed` returns true. */
  attach(form, talk, allowed = () => true) {
    if (!this.policy) return;
    this.detach?.abort();
    this.detach = new AbortController();
    const on = (target, kind, run) => target.addEventListener(kind, run, { signal: this.detach.signal });
    const field = form.querySelector("textarea");
    const input = h("input", { type: "file", hidden: true, multiple: true, accept: this.policy.kinds.join(",") });
    Object.assign(this, { form, field, talk, allowed });
    this.button = h("button", { type: "button", class: "button button--icon attach", "aria-label": gettext("Attach a file"), title: takenWords(this.policy) }, icon("attach_file"));
    this.tray = h("ul", { class: "tray", hidden: true, "aria-label": gettext("Files to send") });
    this.error = h("p", { class: "field__error tray__error", role: "alert", hidden: true });
    const send = form.querySelector(".room__send");
    if (send) send.prepend(this.button); else field.before(this.button);
    form.prepend(this.tray, this.error, input);
    if (!send) form.append(h("p", { class: "tray__hint" }, takenWords(this.policy)));
    on(this.button, "click", () => { if (this.allowed()) input.click(); });
    on(input, "change", () => { this.take(input.files); input.value = ""; });
    on(field, "paste", (event) => {
      const { files, types } = event.clipboardData;
      if (!files.length || types.includes("text/plain") || !this.allowed()) return;
      event.preventDefault();
      this.take(files);
    });
    this.startDrop(form.closest(".talk"), on);
    this.drawTray();
  }

  startDrop(room, on) {
    const here = h("div", { class: "drop-here", "aria-hidden": "true" }, icon("upload_file", "icon--big"), gettext("Drop files here"));
    const over = (is) => (is ? room.append(here) : here.remove());
    const isFile = (event) => event.dataTransfer?.types.includes("Files") && this.allowed();
    for (const kind of ["dragenter", "dragover"]) on(room, kind, (event) => { if (isFile(event)) { event.preventDefault(); over(true); } });
    on(room, "dragleave", (event) => { if (!room.contains(event.relatedTarget)) over(false); });
    on(room, "drop", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      over(false);
      this.take(event.dataTransfer.files);
    });
  }

  take(files) {
    const wrong = [];
    for (const file of files) {
      const why = this.fault(file);
      if (why) wrong.push(why); else this.chosen.push(file);
    }
    this.complain(wrong.join(" "));
    this.drawTray();
    this.field.focus();
  }

  /** Return what is wrong with a file by its name, size and type. The server checks the content. */
  fault({ name, size, type }) {
    if (!size) return fill(gettext("%(name)s is empty."), { name });
    if (size > this.policy.mb * MEGABYTE) return fill(gettext("%(name)s is too large (%(size)s). The limit is %(n)s MB."), { name, size: sizeOf(size), n: this.policy.mb });
    if (type && !this.policy.kinds.includes(type)) return fill(gettext("%(name)s can't be sent. You can send: %(taken)s."), { name, taken: takenWords(this.policy) });
    return "";
  }

  complain(words) {
    this.error.hidden = !words;
    this.error.replaceChildren(icon("error"), h("span", {}, words));
  }

  drawTray() {
    const one = (file) => h("li", { class: "tray__one" }, thumbOf(file), wordsOf(file.name, file.size),
      h("button", { type: "button", class: "button button--icon button--ghost button--small", "aria-label": fill(gettext("Remove %(name)s"), { name: file.name }), onclick: () => { this.chosen = this.chosen.filter((each) => each !== file); this.complain(""); this.drawTray(); this.field.focus(); } }, icon("close")));
    this.tray.replaceChildren(...this.chosen.map(one));
    this.tray.hidden = !this.chosen.length;
  }

  /** Whether the Send button sends files. */
  get ready() {
    return this.chosen.length > 0 && this.allowed();
  }

  // -- sent ---------------------------------------------------------------------------------------

  /** Send the chosen files one after another; `text` goes with the first file. Later texts don't wait for the files. */
  send(text) {
    this.complain("");
    this.chosen.splice(0).forEach((file, place) => {
      const one = { id: newId(), file, text: place ? "" : text };
      this.going.push(one);
      this.draw(one);
    });
    this.drawTray();
    this.next();
  }

  draw(one) {
    one.status = h("span", { class: "talk__by attachment__status" }, gettext("Waiting"), this.cancel(one));
    one.row = h("li", { class: "talk__row talk__row--mine talk__row--sending" },
      h("span", { class: "attachment attachment--file" }, thumbOf(one.file), wordsOf(one.file.name, one.file.size)),
      one.text ? h("p", { class: "talk__words" }, one.text) : null, one.status);
    this.talk.own.set(one.id, one.row);
    this.talk.list.append(one.row);
    this.talk.toEnd();
  }

  cancel(one, words = gettext("Cancel")) {
    return h("button", { type: "button", class: "link-button", onclick: () => this.drop(one) }, words);
  }

  drop(one) {
    one.request?.abort();
    this.going = this.going.filter((each) => each !== one);
    this.talk.own.delete(one.id);
    one.row.remove();
    if (this.current === one) this.current = null;
    this.next();
  }

  next() {
    if (this.current) return;
    const one = this.current = this.going.find((each) => !each.failed) ?? null;
    if (one) this.upload(one);
  }

  upload(one) {
    const bar = h("progress", { max: one.file.size, value: 0, "aria-label": fill(gettext("Sending %(name)s"), { name: one.file.name }) });
    one.status.replaceChildren(bar, this.cancel(one));
    const { url, headers, fields } = this.post();
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...fields, id: one.id, text: one.text })) body.set(name, value);
    body.set("file", one.file);
    const request = one.request = new XMLHttpRequest(); // fetch reports no upload progress
    request.open("POST", url);
    request.responseType = "json";
    request.timeout = LONGEST;
    for (const [name, value] of Object.entries({ Accept: "application/json", ...headers })) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => { bar.max = total; bar.value = loaded; };
    request.upload.onload = () => bar.removeAttribute("value"); // the server is checking the file
    request.onload = () => (request.status === 200 ? this.sent(one, request.response) : this.failed(one, request.response?.detail || request.response?.title || gettext("Try again in a moment.")));
    request.onerror = request.ontimeout = () => this.failed(one, gettext("Can't reach the server."));
    request.send(body);
  }

  sent(one, message) {
    this.going = this.going.filter((each) => each !== one);
    this.current = null;
    this.talk.add([message]);
    this.next();
  }

  failed(one, why) {
    one.failed = true;
    this.current = null;
    const again = () => { one.failed = false; one.status.replaceChildren(gettext("Waiting"), this.cancel(one)); this.next(); };
    one.status.replaceChildren(
      h("span", { class: "attachment__failed", role: "alert" }, icon("error", "icon--tiny"), ` ${gettext("Not sent.")} ${why}`),
      h("button", { type: "button", class: "link-button", onclick: again }, gettext("Try again")), this.cancel(one, gettext("Remove")));
    this.talk.toEnd();
    this.next();
  }

  get busy() {
    return this.chosen.length + this.going.length > 0;
  }

  /** Stop after the room has ended. Returns the names of the files that were not sent. */
  close() {
    const names = [...this.going.map((one) => one.file.name), ...this.chosen.map((file) => file.name)];
    this.chosen = [];
    for (const one of this.going) one.request?.abort();
    this.going = [];
    this.current = null;
    this.detach?.abort();
    open.delete(this);
    return names;
  }
}

// Files are lost on a reload, so ask users who leave before their files are sent.
addEventListener("beforeunload", (event) => { if ([...open].some((files) => files.busy)) event.preventDefault(); });
