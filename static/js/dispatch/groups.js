// All groups live: every figure that moves, from one topic.
import { startAggregateList } from "../shared/aggregate_list.js";

startAggregateList(document.querySelector("[data-groups]"), "group");
