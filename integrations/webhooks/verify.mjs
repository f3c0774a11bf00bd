// Verify the signature of a webhook request. Needs only Node's own modules.
// Copy this file into your project; see README.md.
import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

// Return whether the request was signed with `secret` in the last five minutes.
// body: the raw body as a Buffer, before it is parsed. signature: the header Poolsite-Signature.
export function verify(secret, body, signature, now = Date.now() / 1000) {
  const parts = signature.split(",").map((part) => part.split("=", 2));
  const at = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^[0-9]{1,15}$/.test(at) || Math.abs(now - Number(at)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(`${at}.`).update(body).digest();
  return parts.some(([name, value]) => {
    const given = Buffer.from(name === "v1" ? value : "", "hex");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
