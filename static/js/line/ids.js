// Random ids, in hex.

/** An id of the sender's own, so that a message that is sent twice is one. */
export function newId(bytes = 12) {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
