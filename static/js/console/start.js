// The guide of a goal: commands that can be copied; what is awaited changes by itself.
import "../shared/copy.js";
import "../shared/refresh.js";
