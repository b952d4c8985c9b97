import { DriverError, type DriverModule } from '@stave/driver-sdk';
import { EngineClient } from './engine-client.js';
import { readSettings } from './settings.js';
import { SwarmDockerDriver } from './swarm-docker-driver.js';

export { EngineClient } from './engine-client.js';
export { ensureBusyboxImage } from './image.js';

const unbound = { signal: new AbortController().signal, checkpoint: () => undefined };

const swarmDocker: DriverModule = {
  async open(settings) {
    const own = readSettings(settings);
    const host = new EngineClient(own.hostSocket);
    try {
      await host.read(unbound, '/_ping', { timeoutMs: 5_000 });
    } catch (cause) {
      throw new DriverError(
        'transient',
        `no Docker Engine answers at unix://${own.hostSocket}: start one, or set DOCKER_HOST`,
        { cause },
      );
    }
    return new SwarmDockerDriver(host, own);
  },
};

export default swarmDocker;
