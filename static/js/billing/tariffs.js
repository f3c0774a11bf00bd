// The versions of a price list: removing one asks first.
import { startAsking } from "../shared/asking.js";

startAsking();
