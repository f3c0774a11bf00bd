// The state of `billing.wallet:<slug>`: figures and the newest lines (billing/topics/lines.py).

export const LINES = 40;

/** Return the state after one change; `data` is not modified. */
export function applyWallet(data, change) {
  const lines = new Map(data.lines.map((line) => [line.key, line]));
  for (const line of change.lines) lines.set(line.key, line);
  return { ...data, ...change, lines: [...lines.values()].sort((a, b) => b.seq - a.seq).slice(0, LINES) };
}
