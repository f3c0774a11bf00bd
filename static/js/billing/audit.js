// The audit, run by hand.
import { postJSON } from "../shared/dom.js";
import { toast, toastFailure } from "../shared/toast.js";

document.querySelector("[data-audit-run]")?.addEventListener("click", async (event) => {
  const button = event.currentTarget;
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    const done = await postJSON(button.dataset.auditRun, {}, 60);
    toast({ kind: done.kind ?? "ok", title: done.title, detail: done.detail, topic: "audit" });
  } catch (error) { toastFailure(error); } finally { button.removeAttribute("aria-busy"); }
});
