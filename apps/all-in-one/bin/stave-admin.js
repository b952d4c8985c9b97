#!/usr/bin/env node
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const built = join(__dirname, '..', 'dist', 'admin', 'stave-admin.main.js');
if (existsSync(built)) require(built);
else {
  process.stderr.write('stave-admin is not built yet: run `npm start` or `npm run build` in the checkout\n');
  process.exitCode = 2;
}
