// The page of a job: its progress is live, and the page reloads when the job is over.
import { startProgress } from "../shared/progress.js";

startProgress(document, () => location.reload());
