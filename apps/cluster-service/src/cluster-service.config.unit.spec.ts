import { BadEnvironmentError } from '@stave/platform';
import { clusterServiceConfig } from './cluster-service.config.js';

describe('configuration of cluster-service', () => {
  it('has defaults that fit together and takes numbers', () => {
    expect(clusterServiceConfig({})).toMatchObject({ heartbeatMs: 2_000, sessionTimeoutMs: 8_000 });
    expect(clusterServiceConfig({ HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: '1000' })).toMatchObject({
      heartbeatMs: 500,
      sessionTimeoutMs: 1_000,
    });
  });

  it('refuses a timeout that two heartbeats do not fit in, and bad keys of all services', () => {
    for (const env of [{ SESSION_TIMEOUT_MS: '3999' }, { HEARTBEAT_MS: '5000' }, { HEALTH_PORT: 'x' }])
      expect(() => clusterServiceConfig(env)).toThrow(BadEnvironmentError);
  });
});
