// Table topics (live.RowsTopic): the state is {rows: {id: row}}, a change {set: {id: row}, gone: [id]}.

/**
 * Return the state after one change; `data` stays as it was.
 * @param {{rows: Record<string, any>}} data
 * @param {{set: Record<string, any>, gone: string[]}} change
 */
export function applyRows(data, change) {
  const rows = { ...data.rows, ...change.set };
  for (const id of change.gone) delete rows[id];
  return { rows };
}
