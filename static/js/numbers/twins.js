// Duplicates: its forms ask why first.
import { startAsking } from "../shared/asking.js";

startAsking();
