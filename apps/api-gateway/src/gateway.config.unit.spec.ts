import { BadEnvironmentError } from '@stave/platform';
import { gatewayConfig } from './gateway.config.js';

describe('gateway configuration', () => {
  it('the gateway configuration has a default for every setting', () => {
    expect(gatewayConfig({ PORT: '' })).toMatchObject({ host: '127.0.0.1', port: 8080, requestTimeoutMs: 10_000 });
  });

  it('the gateway configuration reads every setting from the environment', () => {
    const env = { PORT: '0', HOST: '0.0.0.0', NATS_URL: 'nats://a:1', NATS_TOKEN: 't', EVENTSTORE_URL: 'esdb://b:2' };
    const nats = { servers: 'nats://a:1', token: 't' };
    expect(gatewayConfig(env)).toMatchObject({ port: 0, host: '0.0.0.0', nats, eventStoreUrl: 'esdb://b:2' });
  });

  it('the default rates are above what one client can get from a process: 23,000 requests a second were seen', () => {
    const { ratePerKey, ratePerAddress } = gatewayConfig({});
    expect(Math.min(ratePerKey, ratePerAddress)).toBeGreaterThan(2 * 23_000);
  });

  it('the gateway configuration reports every invalid setting by its name and shows no value', () => {
    const wrong = (): unknown => gatewayConfig({ PORT: 'http', LOG_LEVEL: 'loud', REQUEST_TIMEOUT_MS: '1' });
    expect(wrong).toThrow(BadEnvironmentError);
    expect(wrong).toThrow(/PORT .*REQUEST_TIMEOUT_MS .*LOG_LEVEL /);
    expect(wrong).not.toThrow(/loud|http/);
  });
});
