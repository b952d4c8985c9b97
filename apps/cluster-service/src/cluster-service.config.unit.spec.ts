import { BadEnvironmentError } from '@stave/platform';
import { clusterServiceConfig } from './cluster-service.config.js';

describe('configuration of cluster-service', () => {
  it('the configuration of cluster-service has consistent defaults and reads numbers', () => {
    expect(clusterServiceConfig({})).toMatchObject({ heartbeatMs: 2_000, sessionTimeoutMs: 8_000 });
    expect(clusterServiceConfig({ HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: '1000' })).toMatchObject({
      heartbeatMs: 500,
      sessionTimeoutMs: 1_000,
    });
  });

  it('the configuration of cluster-service publishes events unless the setting is false', () => {
    expect(clusterServiceConfig({}).publication).toEqual({ maxBytes: 268_435_456, replicas: 1 });
    const more = { PUBLISHED_EVENTS_MAX_BYTES: '2097152', PUBLISHED_EVENTS_REPLICAS: '3' };
    expect(clusterServiceConfig(more).publication).toEqual({ maxBytes: 2_097_152, replicas: 3 });
    expect(clusterServiceConfig({ PUBLISH_EVENTS: 'false' }).publication).toBeUndefined();
  });

  it('the configuration of cluster-service refuses a timeout shorter than two heartbeats, and invalid settings of all services', () => {
    for (const env of [
      { PUBLISHED_EVENTS_REPLICAS: '2' },
      { SESSION_TIMEOUT_MS: '3999' },
      { HEARTBEAT_MS: '5000' },
      { HEALTH_PORT: 'x' },
    ])
      expect(() => clusterServiceConfig(env)).toThrow(BadEnvironmentError);
  });
});
