import { once } from 'node:events';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { ConnectionError, StaveClient } from '@stave/client';
import { connectionRemedy } from './connection-remedy.js';

const plain = createPlainServer((_request, response) => response.end('{}'));
/** Closes connections after the first bytes, as a server of TLS does with a request in clear text. */
const cutting = createServer(socket => socket.once('data', () => socket.destroy()));
const portOf = (server: Pick<Server, 'address'>): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  for (const server of [plain, cutting]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const server of [plain, cutting]) server.close();
});

async function remedyFor(url: string): Promise<string> {
  try {
    await new StaveClient({ url, retry: { attempts: 1 } }).get('/healthz');
  } catch (error) {
    if (error instanceof ConnectionError) return connectionRemedy(error.reason);
    throw error;
  }
  throw new Error('the server answered');
}

it('a server without TLS, one that cuts connections, and none have remedies of their own', async () => {
  expect(await remedyFor(`https://127.0.0.1:${portOf(plain)}`)).toContain('use http://');
  expect(await remedyFor(`http://127.0.0.1:${portOf(cutting)}`)).toContain('use https://');
  expect(await remedyFor('http://127.0.0.1:9')).toContain('Start the product');
});

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'another name'],
  ['CERT_HAS_EXPIRED', 'not valid at this time'],
  ['ECONNREFUSED', 'Start the product'],
])('a certificate that is refused with %s is not advised to start the product', (reason, remedy) => {
  expect(connectionRemedy(reason)).toContain(remedy);
});
