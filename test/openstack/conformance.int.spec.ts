import { describeDriver } from '@stave/driver-sdk/testing';
import swarmFedora from '@stave/driver-swarm-fedora';
import { describeOn, openStackMissing, startOpenStack, type OpenStackServer } from '@stave/testing';
import { heatFixture } from './heat-drivers.js';

const startWithinMs = 900_000;
const drivers = { swarm_fedora: swarmFedora };

describeOn(openStackMissing(), 'the conformance of drivers on a real OpenStack', () => {
  let cloud: OpenStackServer;
  beforeAll(async () => {
    cloud = await startOpenStack();
    await cloud.playNodes();
  }, startWithinMs);
  afterAll(() => cloud?.stop(), startWithinMs);

  for (const [name, module] of Object.entries(drivers))
    describeDriver(
      name,
      heatFixture(module, () => cloud),
      { containers: false },
    );
});
