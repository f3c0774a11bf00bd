// How long a page waits before it asks the server again.
const LONGEST_SECONDS = 15;

/**
 * The pause before a retry, in seconds: it doubles, and is spread over its last quarter, or all
 * pages would come back at once.
 * @param {number} tries  how many have failed
 */
export function pauseBefore(tries) {
  return Math.min(2 ** tries, LONGEST_SECONDS) * (0.75 + Math.random() / 4);
}
