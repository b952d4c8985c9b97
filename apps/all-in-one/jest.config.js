module.exports = { ...require('../../jest.preset.js'), displayName: 'all-in-one' };
