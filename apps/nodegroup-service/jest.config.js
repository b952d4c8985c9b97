module.exports = { ...require('../../jest.preset.js'), displayName: 'nodegroup-service' };
