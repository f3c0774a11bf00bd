// Explains a gate's settings in sentences made from the form's fields.
import { startMeaning } from "../shared/settings_meaning.js";
import { gettext } from "../shared/words.js";

startMeaning(({ none, on }) => [
  on("adaptive")
    ? gettext("The gate grants between %(adaptive_min)s and %(adaptive_max)s permits at once and changes the limit every %(adaptive_interval_seconds)s.")
    : gettext("The gate grants up to %(cap)s permits at once."),
  gettext("A slot that isn't released becomes free after %(permit_seconds)s. Devices stop %(margin_seconds)s earlier."),
  gettext("A device can renew its permit for up to %(longest_seconds)s in total."),
  on("fair")
    ? gettext("Requests that have waited longest are admitted first.")
    : gettext("There is no waiting line. A free slot goes to whoever asks next."),
  none("rate_per_second") ? "" : gettext("The gate starts up to %(rate_per_second)s permits per second."),
  gettext("A task fails after %(attempts)s attempts."),
]);
