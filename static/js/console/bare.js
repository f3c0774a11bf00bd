// Pages without navigation: log-in, errors.
import { startThemeSwitch } from "../shared/theme_switch.js";

startThemeSwitch();
