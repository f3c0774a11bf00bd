// Forms of campaigns: a file of recipients, and steps that ask first.
import { startAsking } from "./asking.js";
import { startFile } from "./file_drop.js";

startAsking();
document.querySelectorAll("[data-file-form]").forEach(startFile);
