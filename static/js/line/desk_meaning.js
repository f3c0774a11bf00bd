// Explains a desk's settings in sentences made from the form's fields.
import { startMeaning } from "../shared/settings_meaning.js";
import { gettext } from "../shared/words.js";

startMeaning(({ none, chosen, on }) => [
  gettext("Transcripts and files are deleted after %(transcript_days)s."),
  none("attachment_mb")
    ? gettext("No files can be sent.")
    : gettext("Visitors and agents can send files of up to %(attachment_mb)s MB, each up to %(attachments_per_visit)s per visit."),
  on("outcome_required")
    ? gettext("Agents choose an outcome before they finish a visit.")
    : gettext("Agents can finish a visit without an outcome."),
  chosen("callback_pool").trim()
    ? gettext("Agents call visitors back from a number of the pool %(callback_pool)s.")
    : gettext("Callbacks are off."),
]);
