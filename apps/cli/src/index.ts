export { exitCodes } from './exit-codes.js';
export { commandTree } from './program.js';
export { run } from './run.js';
export type { Terminal } from './terminal.js';
export { kinds as fleetKinds } from './fleet/kinds.js';
export { nouns } from './nouns/nouns.js';
export { referencePage } from './reference.js';
