#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
if (existsSync(built)) await import(built.href);
else {
  process.stderr.write('stave is not built yet: run `npm start` or `npm run build` in the checkout\n');
  process.exitCode = 2;
}
