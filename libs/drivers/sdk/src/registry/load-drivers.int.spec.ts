import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLogger as log } from '../testing/silent-logger.js';
import { loadDrivers } from './load-drivers.js';

const openMain = 'module.exports = { open: async () => ({}) };';

const closed = { type: 'object', additionalProperties: false };
const validManifest = {
  name: 'test_driver',
  version: '1.0.0',
  sdk: '^1',
  engine: 'none',
  os: 'any',
  serverType: 'fake',
  capabilities: [],
  options: closed,
};

describe('loadDrivers', () => {
  let root = '';
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'stave-registry-')));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function aDriver(
    directory: string,
    manifest: object = {},
    files: Record<string, string> = { 'driver.js': openMain },
  ) {
    const complete = { ...validManifest, ...manifest };
    for (const [name, content] of Object.entries({ 'driver.manifest.json': JSON.stringify(complete), ...files })) {
      const file = join(root, directory, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }

  const load = (directories: string[], enabled?: string[]) =>
    loadDrivers({ directories, base: root, log, ...(enabled && { enabled }) });

  it('loads a driver directory, a directory of driver directories, and an installed package, each once', async () => {
    await aDriver('one', { name: 'one' });
    await aDriver('more/two', { name: 'two' });
    await aDriver('more/two_v2', { name: 'two', version: '2.0.0' });
    await aDriver(
      'node_modules/@x/three',
      { name: 'three' },
      { 'driver.js': openMain, 'package.json': '{"name":"@x/three"}' },
    );
    const { drivers, refused } = await load(['one', 'more', 'one', join(root, 'more'), '@x/three']);
    expect(refused).toEqual([]);
    expect(drivers.map(({ manifest, directory }) => [manifest.name, manifest.version, directory])).toEqual([
      ['one', '1.0.0', join(root, 'one')],
      ['two', '1.0.0', join(root, 'more/two')],
      ['two', '2.0.0', join(root, 'more/two_v2')],
      ['three', '1.0.0', join(root, 'node_modules/@x/three')],
    ]);
  });

  it.each([
    [
      'exports',
      { 'package.json': '{"name":"p","exports":"./a/main.js"}', 'a/main.js': openMain, 'driver.js': 'throw 1' },
    ],
    ['main', { 'package.json': '{"name":"p","main":"lib.js"}', 'lib.js': openMain }],
    ['dist', { 'dist/index.js': openMain }],
    [
      'a transpiled default export',
      { 'driver.js': 'exports.__esModule = true; exports.default = { open: () => ({}) };' },
    ],
  ])('finds the main module of a driver by %s', async (_name, files: Record<string, string>) => {
    await aDriver('d', {}, files);
    const { drivers, refused } = await load(['d']);
    expect(refused).toEqual([]);
    expect(drivers[0]?.module.open).toBeInstanceOf(Function);
  });

  it('refuses the second of two directories with the same name and version, and names both', async () => {
    await aDriver('a');
    await aDriver('b');
    const { drivers, refused } = await load(['a', 'b']);
    expect(drivers.map(driver => driver.directory)).toEqual([join(root, 'a')]);
    expect(refused).toEqual([{ directory: join(root, 'b'), reason: expect.stringContaining(join(root, 'a')) }]);
  });

  it.each([
    ['unsupported SDK range', { sdk: '^2' }, { 'driver.js': openMain }, 'SDK'],
    ['unknown manifest member', { colour: 'red' }, { 'driver.js': openMain }, '/colour'],
    ['invalid version', { version: 'one' }, { 'driver.js': openMain }, '/version'],
    [
      'option schema that is not closed',
      { options: { type: 'object' } },
      { 'driver.js': openMain },
      '/options/additionalProperties',
    ],
    ['invalid option schema', { options: { ...closed, properties: { a: { type: 'x' } } } }, {}, '/options'],
    [
      'option that is a secret',
      {
        options: {
          ...closed,
          properties: { a: { type: 'object', properties: { b: { type: 'string', writeOnly: true } } } },
        },
      },
      { 'driver.js': openMain },
      '/options/properties/a/properties/b is marked as a secret',
    ],
    [
      'option that is a password',
      { options: { ...closed, properties: { a: { type: 'string', format: 'password' } } } },
      { 'driver.js': openMain },
      '/options/properties/a is marked as a secret',
    ],
    [
      'unknown way to apply a change of an option',
      { options: { ...closed, properties: { a: { type: 'string', 'x-stave-change': 'later' } } } },
      { 'driver.js': openMain },
      'x-stave-change',
    ],
    [
      'way to apply a change of a part of an option',
      {
        options: {
          ...closed,
          properties: { a: { type: 'object', properties: { b: { type: 'string', 'x-stave-change': 'roll' } } } },
        },
      },
      { 'driver.js': openMain },
      '/options/properties/a/properties/b/x-stave-change',
    ],
    [
      'unknown scope of an option',
      { options: { ...closed, properties: { a: { type: 'string', 'x-stave-scope': 'node' } } } },
      { 'driver.js': openMain },
      'x-stave-scope',
    ],
    [
      'scope of a part of an option',
      {
        options: {
          ...closed,
          properties: { a: { type: 'object', properties: { b: { type: 'string', 'x-stave-scope': 'cluster' } } } },
        },
      },
      { 'driver.js': openMain },
      '/options/properties/a/properties/b/x-stave-scope',
    ],
    [
      'fixed attribute of nodes, which could be replaced',
      { attributes: ['image'], fixedAttributes: ['image'] },
      { 'driver.js': openMain },
      '/fixedAttributes/0',
    ],
    [
      'fixed attribute that it does not honour',
      { attributes: ['network.options'], fixedAttributes: ['network.cidr'] },
      { 'driver.js': openMain },
      '/fixedAttributes/0 must be one of the attributes',
    ],
    [
      'workers that are started before a manager that it does not require',
      { startsWorkersEarly: true },
      { 'driver.js': openMain },
      '/startsWorkersEarly must not be true unless requiresManager is',
    ],
    ['missing main module', {}, {}, 'main module'],
    ['throwing main module', {}, { 'driver.js': 'throw new Error("boom")' }, 'boom'],
    ['main module without open', {}, { 'driver.js': 'module.exports = {}' }, 'open()'],
    ['manifest that is not JSON', {}, { 'driver.manifest.json': '{' }, 'JSON'],
  ])(
    'refuses a driver for its %s with a reason, and loads the other drivers',
    async (_name, manifest, files: Record<string, string>, reason) => {
      await aDriver('bad', manifest, files);
      await aDriver('good', { name: 'good' });
      const { drivers, refused } = await load(['bad', 'good']);
      expect(drivers.map(driver => driver.manifest.name)).toEqual(['good']);
      expect(refused).toEqual([{ directory: join(root, 'bad'), reason: expect.stringContaining(reason) }]);
    },
  );

  it('loads only the enabled drivers, and reports an enabled driver that does not exist', async () => {
    await aDriver('a', { name: 'a' });
    await aDriver('a_v2', { name: 'a', version: '2.0.0' });
    await aDriver('b', { name: 'b' });
    const { drivers, refused } = await load([root], ['a@2.0.0', 'c']);
    expect(drivers.map(({ manifest }) => `${manifest.name}@${manifest.version}`)).toEqual(['a@2.0.0']);
    expect(refused.map(({ directory }) => directory)).toEqual(['c']);
  });

  it('reports an entry of the search path that contains no driver', async () => {
    expect((await load(['nothing-here'])).refused).toEqual([{ directory: 'nothing-here', reason: expect.any(String) }]);
  });
});
