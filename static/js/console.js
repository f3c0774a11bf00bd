// What every page of the console starts.
import { startBadge } from "./badge.js";
import { startDialogs } from "./dialog.js";
import { startKeys } from "./keys.js";
import { startDrawer, startMenus, startRail } from "./menu.js";
import { startProblems } from "./problems.js";
import { startSearch } from "./search.js";
import { startSparklines } from "./sparkline.js";
import { startTables } from "./table.js";
import { startThemeSwitch } from "./theme-switch.js";
import { startTime } from "./time.js";

startRail();
startSparklines();
startBadge();
startMenus();
startDrawer();
startDialogs();
startKeys();
startSearch();
startTables();
startThemeSwitch();
startTime();
startProblems();
