import { DriverError, type DriverModule } from '@stave/driver-sdk';
import { DockerEngine } from './docker-engine.js';
import { readSettings } from './settings.js';
import { swarmDockerDriver } from './swarm-docker-driver.js';

export { EngineClient } from './engine-client.js';

const unbound = { signal: new AbortController().signal, checkpoint: () => undefined };

const swarmDocker: DriverModule = {
  async open(settings) {
    const own = readSettings(settings);
    const host = new DockerEngine(own.hostSocket);
    try {
      await host.read(unbound, '/_ping', { timeoutMs: 5_000 });
    } catch (cause) {
      const message = `no Docker Engine answers at unix://${own.hostSocket}: start one, or set DOCKER_HOST`;
      throw new DriverError('transient', message, { cause });
    }
    return swarmDockerDriver(host, own);
  },
};

export default swarmDocker;
