module.exports = { ...require('../../../jest.preset.js'), displayName: 'driver-mesos-ubuntu' };
