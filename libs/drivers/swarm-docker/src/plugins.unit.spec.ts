import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerProblems } from '@stave/driver-sdk';
import { restrictionsOf } from './container-rules.js';
import { pluginMounts, readPlugins } from './plugins.js';

let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'stave-plugins-'))));
afterEach(() => rmSync(directory, { recursive: true }));

function fileWith(content: unknown): Record<string, string> {
  const file = join(directory, 'plugins.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return { SWARM_DOCKER_PLUGINS_FILE: file };
}

const shared = { name: 'shared', socket: '/run/shared/p.sock', directory: '/mnt/shared' };

it('the plug-ins of the file are drivers of volumes and networks with any options', () => {
  const env = fileWith([shared]);
  expect(readPlugins(env)).toEqual([shared]);
  expect(readPlugins({})).toEqual([]);
  const { plugins, containers } = restrictionsOf(env);
  expect(plugins).toEqual(['shared']);
  const volume = { name: 'v', mountPath: '/x', driver: 'shared', options: { any: 'thing\nat all' } };
  expect(containerProblems(containers, { volumes: [volume], network: { name: 'n', driver: 'shared' } })).toEqual([]);
  const other = { ...volume, driver: 'other' };
  expect(containerProblems(containers, { volumes: [other] })).toMatchObject([{ code: 'option-not-allowed' }]);
});

it.each([
  ['no JSON', '{'],
  ['no list', shared],
  ['a relative path', [{ ...shared, socket: 'p.sock' }]],
  ['the root directory', [{ ...shared, directory: '/' }]],
  ['a name with a path', [{ ...shared, name: '../x' }]],
  ['a missing member', [{ name: 'shared', socket: '/x/p.sock' }]],
])('a file with %s is refused', (_what, content) => {
  expect(() => readPlugins(fileWith(content))).toThrow(/SWARM_DOCKER_PLUGINS_FILE/);
});

it('a node gets the directory of the socket, the mount points at the same path, and the name of the plug-in', () => {
  expect(pluginMounts([])).toEqual({ mounts: [], env: [] });
  expect(pluginMounts([shared])).toEqual({
    mounts: [
      { Type: 'bind', Source: '/run/shared', Target: '/stave-plugins/shared' },
      { Type: 'bind', Source: '/mnt/shared', Target: '/mnt/shared' },
    ],
    env: ['STAVE_PLUGINS=shared=/stave-plugins/shared/p.sock'],
  });
});
