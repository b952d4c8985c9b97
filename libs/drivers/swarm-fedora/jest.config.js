module.exports = { ...require('../../../jest.preset.js'), displayName: 'driver-swarm-fedora' };
