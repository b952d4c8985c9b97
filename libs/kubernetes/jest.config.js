module.exports = { ...require('../../jest.preset.js'), displayName: 'kubernetes' };
