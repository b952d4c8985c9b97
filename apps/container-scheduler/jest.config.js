module.exports = { ...require('../../jest.preset.js'), displayName: 'container-scheduler' };
