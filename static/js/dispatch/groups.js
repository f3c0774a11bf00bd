// All groups, live: one topic has all their figures.
import { startAggregateList } from "../shared/aggregate_list.js";

startAggregateList(document.querySelector("[data-groups]"), "group");
