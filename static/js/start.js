// The guide of a goal: commands that can be copied; what is awaited changes by itself.
import "./copy.js";
import "./refresh.js";
