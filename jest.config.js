module.exports = {
  watchman: false,
  // no test depends on the speed of the machine; Jest takes this option from the root only
  testTimeout: 120_000,
  projects: [
    '<rootDir>/libs/domain',
    '<rootDir>/libs/contracts',
    '<rootDir>/libs/platform',
    '<rootDir>/libs/event-store-server',
    '<rootDir>/libs/service-kit',
    '<rootDir>/libs/testing',
    '<rootDir>/libs/drivers/sdk',
    '<rootDir>/libs/bootstrap',
    '<rootDir>/libs/drivers/fake',
    '<rootDir>/libs/drivers/swarm-docker',
    '<rootDir>/apps/api-gateway',
    '<rootDir>/apps/cluster-service',
    '<rootDir>/apps/nodegroup-service',
    '<rootDir>/apps/container-scheduler',
    '<rootDir>/apps/conductor',
    '<rootDir>/apps/all-in-one',
    '<rootDir>/test',
  ],
};
