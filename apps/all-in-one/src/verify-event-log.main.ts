import { join } from 'node:path';
import { verifyEventLog } from '@stave/platform';

// `npm run event-log:verify [-- <data folder>]`: checks the embedded event log, also while it is in use
const [dataDir = process.env['DATA_DIR'] ?? 'data'] = process.argv.slice(2);

try {
  if (!verifyEventLog(join(dataDir, 'event-store'), line => console.log(line))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
