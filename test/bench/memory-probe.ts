import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryInUse } from './memory-in-use.js';

/** Loaded into each process of the product by `churn distributed`: SIGUSR2 writes its memory to a file. */
process.on('SIGUSR2', () => {
  const file = join(process.env['MEMORY_DIR'] ?? '.', `${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(memoryInUse()));
  renameSync(`${file}.new`, file);
});
