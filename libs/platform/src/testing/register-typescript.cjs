// Lets plain node run this library's TypeScript, for tests that need a process of their own to kill.
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { transformSync } = require('@swc/core');

function rootOf(directory) {
  return existsSync(join(directory, '.swcrc')) ? directory : rootOf(dirname(directory));
}

const swc = JSON.parse(readFileSync(join(rootOf(__dirname), '.swcrc'), 'utf8'));
const options = { ...swc, swcrc: false, module: { type: 'commonjs' } };
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, parent, ...rest) {
  const source =
    parent?.filename?.endsWith('.ts') && request.startsWith('.') ? request.replace(/\.js$/, '.ts') : request;
  return resolve.call(this, source, parent, ...rest);
};

Module._extensions['.ts'] = (module, filename) => {
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
};
