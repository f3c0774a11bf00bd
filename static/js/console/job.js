// The page of a job: its progress is live, and the page is drawn anew when the work is over.
import { startProgress } from "../shared/progress.js";

startProgress(document, () => location.reload());
