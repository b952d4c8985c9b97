import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newDriver, ScaffoldError } from './new-driver.js';

jest.setTimeout(120_000); // every driver is formatted by a process of its own

const root = join(__dirname, '../../../../..');

describe('newDriver', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-scaffold-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const make = (name: string, more: { from?: string; version?: string } = {}) =>
    newDriver({ name, root, parent: folder, ...more });

  it('refuses to overwrite a directory, and refuses invalid names and unknown sources', async () => {
    await make('once');
    for (const [name, more] of [
      ['once', {}],
      ['Not-A-Name', {}],
      ['x', { from: 'nobody@9.9.9' }],
      ['fake', { from: 'fake', version: '1.0.0' }],
    ] as const)
      await expect(make(name, more)).rejects.toBeInstanceOf(ScaffoldError);
  });

  it('creates a new major version of a driver beside the version that it is forked from', async () => {
    const { directory } = await make('fake', { from: 'fake', version: '2.0.0' });
    expect(directory).toBe(join(folder, 'fake_v2'));
    const manifest = JSON.parse(await readFile(join(directory, 'driver.manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'fake', version: '2.0.0', compatibleFrom: '2.0.0' });
  });

  it('creates a new version of a driver outside of Stave beside it, and leaves the style of its files as it is', async () => {
    const first = await make('acme');
    expect(first.older).toBeUndefined();
    const own = 'const   style = "of the author"\n';
    await writeFile(join(first.directory, 'src', 'own.ts'), own);
    const second = await newDriver({ name: 'acme', root, from: first.directory, version: '2.0.0' });
    expect(second).toEqual({ directory: join(folder, 'acme_v2'), registered: [], older: first.directory });
    expect(await readFile(join(second.directory, 'src', 'own.ts'), 'utf8')).toBe(own);
  });

  it('registers a driver in the build and tests of Stave when it is created in libs/drivers', async () => {
    const copy = join(folder, 'stave');
    await mkdir(join(copy, 'libs/drivers/sdk'), { recursive: true });
    for (const file of [
      'tsconfig.json',
      'jest.config.js',
      'package.json',
      '.prettierrc.json',
      'libs/drivers/sdk/scaffold',
    ])
      await cp(join(root, file), join(copy, file), { recursive: true });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const { directory, registered } = await newDriver({ name: 'inner_one', root: copy });
    expect(directory).toBe(join(copy, 'libs/drivers/inner-one'));
    expect(registered).toEqual(['tsconfig.json', 'jest.config.js']);
    const references = JSON.parse(await readFile(join(copy, 'tsconfig.json'), 'utf8')).references;
    expect(references).toContainEqual({ path: 'libs/drivers/inner-one' });
    expect(await readFile(join(copy, 'jest.config.js'), 'utf8')).toContain("'<rootDir>/libs/drivers/inner-one',");
    expect(JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')).name).toBe('@stave/driver-inner-one');
    expect(await readdir(directory)).toEqual(expect.arrayContaining(['jest.config.js', 'tsconfig.json', 'src']));
  });
});
