const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const swc = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));
module.exports = {
  testEnvironment: 'node',
  setupFiles: [join(__dirname, 'jest.seed.js')],
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.(ts|mjs)$|/node_modules/(?:jose|openid-client|oauth4webapi)/.+\\.js$': [
      '@swc/jest',
      { ...swc, swcrc: false },
    ],
  },
  testEnvironmentOptions: {
    customExportConditions: ['@stave/source', 'node', 'node-addons', 'require', 'default'],
  },
  haste: { forceNodeFilesystemAPI: true },
  // these are published as ES modules only
  transformIgnorePatterns: ['/node_modules/(?!(?:jose|openid-client|oauth4webapi)/)', '\\.cjs$'],
};
