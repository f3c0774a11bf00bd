// Random ids, in hex.

/** Return a random ID that the sender chooses, so that a message sent twice counts once. */
export function newId(bytes = 12) {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
