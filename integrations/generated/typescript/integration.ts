// A customer's integration, from the first token to the month's invoice, by the generated client.
//
// ../README.md says how to run it, and what it reads from the environment.

import { driveWebhooks } from "./hooks.js";
import { driveBilling } from "./money.js";
import { driveDispatcher, driveGate, driveLine, drivePool } from "./systems.js";

await drivePool();
await driveLine();
await driveGate();
await driveDispatcher();
await driveBilling();
await driveWebhooks();
