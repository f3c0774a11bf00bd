// Explains a group's settings in sentences made from the form's fields.
import { startMeaning } from "../shared/settings_meaning.js";
import { gettext } from "../shared/words.js";

startMeaning(() => [
  gettext("Both sides send a heartbeat every %(heartbeat_seconds)s. The link is pending after %(missed_limit)s missed heartbeats."),
  gettext("A peer that doesn't reconnect within %(disconnect_seconds)s counts as stopped, and its sessions end."),
  gettext("New sessions are shared by this rule: %(sharing)s."),
  gettext("A session whose end is never reported is cleared after %(route_limit_seconds)s."),
]);
