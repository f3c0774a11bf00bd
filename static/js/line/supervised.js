// The desks' pages of supervisors: rows are renewed by the desk's topic, verbs that end something ask first.
import { startAsking } from "../shared/asking.js";
import "../shared/refresh.js";

startAsking();
