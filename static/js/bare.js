// Pages without navigation: log-in, errors.
import { startThemeSwitch } from "./theme-switch.js";

startThemeSwitch();
