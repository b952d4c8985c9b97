import { knownSecrets } from '../../secrets/known-secrets.js';
import { BadConnectionStringError, connectionOptions } from './connection-string.js';
import { StoreClient } from './store-client.js';
import { StreamNames } from './stream-names.js';
import { ReadResponses } from './wire/read-response.js';

const PASSWORD = 'cloudberry-77';

describe('connection string of EventStoreDB', () => {
  it.each([
    `esdb://admin:${PASSWORD}@host:port`,
    `esdb://admin:${PASSWORD}@host:2113?tls=perhaps`,
    `esdb://admin:${PASSWORD}@host:2113?tls`,
    `esdb://admin:${PASSWORD}@host:2113?unknown=${PASSWORD}`,
    `esdb://admin:${PASSWORD}@host:2113?tlsVerifyCert=false`,
    `esdb://admin:${PASSWORD}@@host:2113`,
    `esdb://admin:x@${PASSWORD}@host:2113`,
    `esdb://admin:x?y=${PASSWORD}@`,
    `esdb://admin:%zz${PASSWORD}@host:2113`,
    `http://admin:${PASSWORD}@host:2113`,
    `esdb://admin:${PASSWORD}@host:2113?tlsCAFile=/nowhere/ca.pem`,
    `esdb://admin:${PASSWORD}@host:2113?userCertFile=/nowhere/a.pem`,
  ])('refuses a malformed string without quoting it (case %#)', text => {
    const printed = [jest.spyOn(console, 'warn'), jest.spyOn(console, 'error')];
    let refused: unknown;
    try {
      StoreClient.connect(text);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(BadConnectionStringError);
    const shown = refused instanceof Error ? `${refused.message} ${refused.stack} ${JSON.stringify(refused)}` : '';
    expect(shown).toContain('EVENTSTORE_URL');
    expect(shown).not.toContain(PASSWORD);
    expect(refused).not.toHaveProperty('cause');
    for (const print of printed) expect(print).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('registers the password as a secret, as it is written and as it is sent', () => {
    connectionOptions('esdb://admin:hunter%2Bsecret@host:2113');
    expect(knownSecrets.cutText('with hunter%2Bsecret and hunter+secret')).toBe('with [secret] and [secret]');
  });

  it('looks for a leader for longer than an election lasts, unless the string says otherwise', () => {
    const { maxDiscoverAttempts = 0, discoveryInterval = 0 } = connectionOptions('esdb://a:1,b:2,c:3?tls=false');
    expect(maxDiscoverAttempts * discoveryInterval).toBeGreaterThanOrEqual(20_000);
    const given = connectionOptions('esdb://a:1,b:2?maxDiscoverAttempts=3&discoveryInterval=4');
    expect(given).toMatchObject({ maxDiscoverAttempts: 3, discoveryInterval: 4, hosts: [{ port: 1 }, { port: 2 }] });
  });
});

describe('client of EventStoreDB', () => {
  it('does not reject unobserved when the discovery of a leader fails', async () => {
    class ProbedClient extends StoreClient {
      /** Lets a call fail while the discovery that also fails is under way, as two calls at once do. */
      async failTwice(): Promise<readonly PromiseSettledResult<unknown>[]> {
        const discovery = this.getChannel();
        const failed = Object.assign(new Error('14 UNAVAILABLE: gone'), { code: 14, details: 'gone' });
        const grpcClient = { getChannel: () => ({}) } as unknown as Parameters<typeof this.handleError>[0];
        return Promise.allSettled([discovery, this.handleError(grpcClient, failed)]);
      }
    }
    const endpoints = [
      { address: '127.0.0.1', port: 1 },
      { address: '127.0.0.1', port: 2 },
    ];
    const settings = { endpoints, maxDiscoverAttempts: 1, discoveryInterval: 1 };
    const client = new ProbedClient(new ReadResponses(new StreamNames()), settings as unknown as { endpoint: string }, {
      insecure: true,
    });
    const [discovery, handled] = await client.failTwice();
    expect(discovery).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('Failed to discover') },
    });
    expect(handled).toMatchObject({ status: 'fulfilled' });
    await client.dispose();
  });
});
