// Duplicates: its forms ask why first.
import { startAsking } from "./asking.js";

startAsking();
