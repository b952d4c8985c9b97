import { BadArgumentsError, natsPermissions } from './nats-permissions.js';

const printed = (args: readonly string[], more: { readonly pinned?: boolean; readonly drivers?: string[] } = {}) =>
  natsPermissions(args, { pinned: false, drivers: ['fake', 'swarm_docker'], ...more });

it('prints the permissions of the conductors of a group, and of a service', () => {
  expect(printed(['--group', 'site-a', '--drivers', 'fake,swarm_docker'])).toContain('"stave.work.');
  expect(printed(['--service', 'api-gateway'])).toContain('allow_responses');
});

it.each([
  [
    'a driver that is not installed',
    ['--group', 'a', '--drivers', 'fake,swram_docker'],
    /swram_docker.*fake, swarm_docker/s,
  ],
  ['several such drivers', ['--group', 'a', '--drivers', 'moon,fake,sun'], /moon, sun/],
  ['no driver', ['--group', 'a'], /--drivers/],
  ['an unknown service', ['--service', 'moon'], /cluster-service/],
  ['an unknown option', ['--moon'], /--moon/],
  ['both', ['--service', 'api-gateway', '--group', 'a'], /neither/],
])('refuses %s, and says what there is', (_, args, message) => {
  expect(() => printed(args)).toThrow(BadArgumentsError);
  expect(() => printed(args)).toThrow(message);
});

it('refuses conductors while the ring is pinned', () => {
  expect(() => printed(['--group', 'a', '--drivers', 'fake'], { pinned: true })).toThrow(/RING_KEY_PIN/);
});
