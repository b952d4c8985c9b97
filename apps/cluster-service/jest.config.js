module.exports = { ...require('../../jest.preset.js'), displayName: 'cluster-service' };
