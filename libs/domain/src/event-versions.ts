import { Upcasters } from './kernel/upcast.js';
import { nodeGroupUpcasters } from './node-group/node-group-upcasters.js';

/** Every step from an old version of an event to the next; see docs/reference/events.md, "Versions". */
export const eventVersions = new Upcasters([...nodeGroupUpcasters]);
