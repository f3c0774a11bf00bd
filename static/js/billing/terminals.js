// The table of terminals: drop or choose a file, with live progress. When it has been read, the page reloads.
import { startFile } from "../shared/file_drop.js";
import { startProgress } from "../shared/progress.js";

document.querySelectorAll("[data-file-form]").forEach(startFile);
startProgress(document, () => location.reload());
