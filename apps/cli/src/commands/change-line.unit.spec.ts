import { changeLine } from './change-line.js';

it.each([
  ['post', '/v1/clusters', { name: 'healing', status: 'CREATING' }, 'cluster healing is CREATING'],
  ['delete', '/v1/clusters/nodes', { name: 'nodes', status: 'DELETING' }, 'cluster nodes is DELETING'],
  ['post', '/v1/clusters/c/node-groups', { name: 'w', status: 'CREATING' }, 'node group w is CREATING'],
  ['post', '/v1/nodes/1/actions/drain', { name: 'w-0', status: 'DRAINING' }, 'node w-0 is DRAINING'],
  ['post', '/v1/container-profiles', { name: 'active' }, 'container profile active is created'],
  ['patch', '/v1/policies/p', { id: 'p', name: 'p' }, 'policy p is changed'],
  ['post', '/v1/api-keys', { id: 'k', name: 'ci', key: 'stv_1' }, 'API key ci is created  stv_1'],
  ['post', '/v1/api-keys/k/actions/rotate', { id: 'k', key: 'stv_2' }, 'API key k is changed  stv_2'],
  ['post', '/v1/clusters', { name: 'a\nb', status: 'CREATING' }, 'cluster a\\x0ab is CREATING'],
  ['delete', '/v1/api-keys/k', {}, 'done'],
] as const)('%s %s with %j says: %s', (method, path, answer, line) => {
  expect(changeLine({ method, path }, answer)).toBe(line);
});
