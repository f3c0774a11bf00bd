// The desks' pages of supervisors: rows are renewed by the desk's topic, verbs that end something ask first.
import { startAsking } from "./asking.js";
import "./refresh.js";

startAsking();
