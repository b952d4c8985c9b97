import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_FILE } from './load-manifest.js';

/** Returns the name in the manifest of a driver directory, which a fork has changed. For the driver itself: its manifest was validated before. */
export const driverNameIn = (directory: string): string =>
  (JSON.parse(readFileSync(join(directory, MANIFEST_FILE), 'utf8')) as { readonly name: string }).name;
