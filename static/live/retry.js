// How long a page waits before it tries again to reach the server.
const LONGEST_SECONDS = 15;

/**
 * Return the pause before a retry in seconds. It doubles each time, and its last quarter is random,
 * so that not all pages come back at once.
 * @param {number} tries  how many have failed
 */
export function pauseBefore(tries) {
  return Math.min(2 ** tries, LONGEST_SECONDS) * (0.75 + Math.random() / 4);
}
