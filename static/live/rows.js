// Table topics (live.RowsTopic): the state is {rows: {id: row}}, a change is {set: {id: row}, gone: [id]}.
import { subscribe } from "../live.js";

/**
 * Return the state after one change; `data` is not modified.
 * @param {{rows: Record<string, any>}} data
 * @param {{set: Record<string, any>, gone: string[]}} change
 */
export function applyRows(data, change) {
  const rows = { ...data.rows, ...change.set };
  for (const id of change.gone) delete rows[id];
  return { rows };
}

/**
 * Watch a table topic: `draw` gets the rows by ID now and after every change. Returns a function that ends the watch.
 * @param {string} topic
 * @param {(rows: Record<string, any>) => void} draw
 */
export function followRows(topic, draw) {
  let state = { rows: {} };
  const take = (next) => { state = next; draw(state.rows); };
  return subscribe(topic, { snapshot: take, change: (data) => take(applyRows(state, data)) });
}
