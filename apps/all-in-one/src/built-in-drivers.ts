import { join } from 'node:path';

/** The directory of the drivers that Stave ships. */
export const builtInDrivers = join(__dirname, '..', '..', '..', 'libs', 'drivers');
