// The table of terminals: a file is dropped or chosen, its progress is live; when it is read the page is drawn anew.
import { startFile } from "../shared/file_drop.js";
import { startProgress } from "../shared/progress.js";

document.querySelectorAll("[data-file-form]").forEach(startFile);
startProgress(document, () => location.reload());
