import { authOf, pullError, tagged } from './container-images.js';
import { healthOf } from './inventory.js';

it.each([
  ['box', 'box:latest'],
  ['registry:5000/tools/box', 'registry:5000/tools/box:latest'],
  ['registry:5000/tools/box:1', 'registry:5000/tools/box:1'],
  ['box@sha256:abc', 'box@sha256:abc'],
])('the image %s is pulled as %s', (image, expected) => expect(tagged(image)).toBe(expected));

it('credentials are sent as user and password, which may contain colons', () => {
  const sent = (credentials: string): unknown =>
    JSON.parse(Buffer.from(authOf(credentials), 'base64url').toString('utf8'));
  expect(sent('me:a:b?ÿ')).toEqual({ username: 'me', password: 'a:b?ÿ' });
  expect(sent('a-token')).toEqual({ username: '', password: 'a-token' });
  expect(authOf('a:1').length % 4).toBe(0);
});

it.each([
  ['manifest for box:2 not found: manifest unknown: manifest unknown', 'permanent', 'image-missing'],
  ['pull access denied for x, repository does not exist or may require docker login', 'permanent', 'image-denied'],
  ['Get "https://r/v2/": unauthorized: incorrect username or password', 'permanent', 'image-denied'],
  ['Get "https://r/v2/": dial tcp 10.0.0.1:443: connect: connection refused', 'transient', undefined],
  ['Get "https://r/v2/": net/http: TLS handshake timeout', 'transient', undefined],
])('the answer %j of a registry is %s', (message, failure, code) => {
  expect(pullError('box:2', `POST /images/create: 404 ${message}`)).toMatchObject({ failure, code });
});

it.each([
  ['Up 2 minutes (healthy)', 'healthy'],
  ['Up 2 minutes (unhealthy)', 'unhealthy'],
  ['Up 1 second (health: starting)', 'starting'],
  ['Up 2 minutes', undefined],
  ['Up 2 minutes (Paused)', undefined],
  ['Exited (137) 1 minute ago', undefined],
])('the status %j of a container shows the health %s', (status, health) => expect(healthOf(status)).toBe(health));
