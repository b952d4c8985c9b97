module.exports = { ...require('../../../jest.preset.js'), displayName: 'driver-k8s-docker' };
