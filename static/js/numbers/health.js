// A pool's health and its rules: what ends something asks first.
import { startAsking } from "../shared/asking.js";

startAsking();
