module.exports = {
  ...require('../jest.preset.js'),
  displayName: 'test',
  testMatch: ['<rootDir>/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
};
