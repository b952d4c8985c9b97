import { Upcasters } from './kernel/upcast.js';

/** Every step from an old version of an event to the next one. Each event has version 1 so far; see docs/reference/events.md, "Versions". */
export const eventVersions = new Upcasters([]);
