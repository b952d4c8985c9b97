import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { format, resolveConfig } from 'prettier';
import { observabilityFiles } from './observability-files.js';

// `npm run observability` writes the page of metrics and the dashboards.
void (async () => {
  for (const [path, text] of await observabilityFiles()) {
    const filepath = join(repositoryRoot(), path);
    mkdirSync(dirname(filepath), { recursive: true });
    writeFileSync(filepath, await format(text, { ...(await resolveConfig(filepath)), filepath }));
    console.log(`${path} written`);
  }
})();
