// The tiles of `numbers.tiles:<slug>:<page>`: the state is {layout, states}, a change {set} (numbers/topics/packing.py).

const TILE = /(\d*)([A-Za-z?-])(?:\*(\d+);)?/g;

/**
 * Return the tiles that a change sets: [[index, letter], …].
 * @param {string} text
 */
export function unpackTiles(text) {
  const tiles = [];
  let index = -1;
  for (const [, gap, letter, times] of text.matchAll(TILE)) {
    index += gap ? Number(gap) : 1;
    tiles.push([index, letter]);
    for (let left = Number(times ?? 0); left > 0; left -= 1) tiles.push([(index += 1), letter]);
  }
  return tiles;
}

/** Return the state after one change; `data` is not modified. */
export function applyTiles(data, change) {
  const states = [...data.states];
  for (const [index, letter] of unpackTiles(change.set)) states[index] = letter;
  return { layout: data.layout, states: states.join("") };
}

// The look of each letter (numbers/pool/number_state.py): the tile drawn, and whether it has a corner dot.
export const LOOKS = {
  R: ["R", false], r: ["r", false], p: ["R", true], o: ["R", true], x: ["R", true], u: ["O", true], C: ["C", false], s: ["C", true],
  L: ["L", false], l: ["L", true], O: ["O", false], Q: ["Q", false], "-": ["-", false], "?": ["-", true],
};
