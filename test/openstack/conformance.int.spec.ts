import { describeDriver } from '@stave/driver-sdk/testing';
import swarmFedora from '@stave/driver-swarm-fedora';
import { describeOn, openStackMissing, startOpenStack, type OpenStackServer } from '@stave/testing';
import { heatFixture } from './heat-drivers.js';

const startWithinMs = 900_000;

/** One driver represents all of them: what the kit checks is in the library that they share. */
describeOn(openStackMissing(), 'the conformance of drivers on Heat on a real OpenStack', () => {
  let cloud: OpenStackServer;
  beforeAll(async () => {
    cloud = await startOpenStack();
    await cloud.playNodes();
  }, startWithinMs);
  afterAll(() => cloud?.stop(), startWithinMs);

  describeDriver(
    'swarm_fedora',
    heatFixture(swarmFedora, () => cloud),
    { containers: false },
  );
});
