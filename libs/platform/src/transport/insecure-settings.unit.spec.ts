import { BadEnvironmentError } from '../config/read-environment.js';
import { insecureSettings, judgeTransport, type TransportSettings } from './insecure-settings.js';

const named = (given: TransportSettings): readonly string[] => insecureSettings(given).map(({ setting }) => setting);

describe('insecure settings', () => {
  it.each([
    [{ certFile: '' }, 'TLS_CERT_FILE'],
    [{ nats: { servers: 'nats://127.0.0.1:4222' } }, 'NATS_URL'],
    [{ nats: { servers: 'tls://a:4222, b:4222' } }, 'NATS_URL'],
    [{ nats: { servers: 'ws://a:80' } }, 'NATS_URL'],
    [{ nats: { servers: 'wss://a,nats://b:4222' } }, 'NATS_URL'],
    [{ eventStoreUrl: 'esdb://a:2113?tls=false' }, 'EVENTSTORE_URL'],
    [{ eventStoreUrl: 'esdb+discover://a:2113?keepAliveInterval=1&TLS=False' }, 'EVENTSTORE_URL'],
    [{ mongoUrl: 'mongodb://a:27017' }, 'MONGODB_URL'],
    [{ mongoUrl: 'mongodb://a:27017/?tls=false' }, 'MONGODB_URL'],
    [{ mongoUrl: 'mongodb+srv://a/?ssl=false' }, 'MONGODB_URL'],
    [{ mongoUrl: 'mongodb://a/?tls=true&tlsAllowInvalidCertificates=true' }, 'MONGODB_URL'],
    [{ mongoUrl: 'mongodb://a/?tls=true&tlsInsecure=true' }, 'MONGODB_URL'],
    [{ urls: [{ setting: 'IDENTITY_FILE', url: 'HTTP://issuer' }] }, 'IDENTITY_FILE'],
  ] satisfies [TransportSettings, string][])('%j is insecure by %s', (given, setting) => {
    expect(named(given)).toEqual([setting]);
  });

  it('nothing is insecure where everything is reached and served with TLS', () => {
    const urls = [{ setting: 'IDENTITY_FILE', url: 'https://issuer' }];
    for (const servers of ['tls://a:4222,TLS://b:4222', 'wss://a, WSS://b:8443/nats'])
      for (const mongoUrl of ['mongodb://a/?tls=true', 'mongodb://a/x?ssl=true&w=1', 'mongodb+srv://a', ''])
        for (const eventStoreUrl of ['esdb://a:2113', 'esdb://a:2113?tls=true'])
          expect(named({ certFile: 'c.pem', nats: { servers }, eventStoreUrl, mongoUrl, urls })).toEqual([]);
  });

  it('an authority or a certificate of MongoDB makes the client insist on TLS', () => {
    const mongoUrl = 'mongodb://a:27017';
    expect(named({ mongoUrl, mongoFiles: { passwordFile: 'p' } as object })).toEqual(['MONGODB_URL']);
    for (const mongoFiles of [{ caFile: 'ca.pem' }, { certFile: 'c.pem', keyFile: 'c.key' }])
      expect(named({ mongoUrl, mongoFiles })).toEqual([]);
  });

  it('required TLS is refused with every setting and no value; else one line of the log names them', () => {
    const given = { certFile: '', nats: { servers: 'nats://u:secret@a' }, mongoUrl: 'mongodb://u:secret@a' };
    const lines: unknown[] = [];
    const log = { warn: (...line: unknown[]) => void lines.push(line) };
    const refused = (): void => judgeTransport(given, true, log);
    expect(refused).toThrow(BadEnvironmentError);
    expect(refused).toThrow(/TLS_CERT_FILE.*NATS_URL.*MONGODB_URL/);
    expect(refused).not.toThrow(/secret/);
    expect(lines).toEqual([]);
    judgeTransport(given, false, log);
    expect(lines).toEqual([
      [expect.objectContaining({ settings: ['TLS_CERT_FILE', 'NATS_URL', 'MONGODB_URL'] }), 'insecure settings'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
    judgeTransport({}, true, log);
  });
});
