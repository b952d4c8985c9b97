import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { Fleet } from '../e2e/fleet.js';
import { startEmbedded, type Stack } from '../e2e/stack.js';
import { docPages } from './doc-pages.js';
import { paste } from './paste.js';
import { shellBlocks } from './shell-blocks.js';

jest.setTimeout(300_000);

const root = repositoryRoot();
/** A page that needs more than a running product has a test of its own, which it names. */
const hasOwnTest = (page: string): boolean => /^<!-- run by \S+ -->$/m.test(page);
const pages = ['README.md', ...docPages().map(name => join('docs', name))]
  .map(name => ({ name, page: readFileSync(join(root, name), 'utf8') }))
  .filter(({ page }) => !hasOwnTest(page))
  .map(({ name, page }) => ({ name, blocks: shellBlocks(page) }))
  .filter(({ blocks }) => blocks.length > 0);

it('the README and the tutorial are among the pages with commands', () => {
  expect(pages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['README.md', 'docs/tutorial/heal-a-cluster.md']),
  );
});

/** Returns a directory in which the commands of a page find the key of the product. */
async function directoryFor({ adminKey }: Stack): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stave-page-'));
  await mkdir(join(directory, 'data'));
  await writeFile(join(directory, 'data', 'admin.key'), adminKey);
  return directory;
}

describe.each(pages)('the commands of $name', ({ name, blocks }) => {
  let stack: Stack | undefined;
  let directory: string;

  beforeAll(async () => {
    stack = await startEmbedded();
    directory = await directoryFor(stack);
  });
  afterAll(async () => {
    await stack?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('the commands of the page run one after the other without an error', async () => {
    expect(await paste(blocks, stack?.url ?? '', directory)).toContain('## line');
  });

  if (name === 'README.md')
    it('the tour runs again on the same product, and leaves a cluster shop of another user alone', async () => {
      const fleet = new Fleet({ url: stack?.url ?? '', adminKey: stack?.adminKey ?? '' });
      const { id } = await fleet.cluster({ name: 'shop' }, [{ count: 1 }]);
      const output = await paste(blocks, stack?.url ?? '', directory);
      expect(output).not.toMatch(/undefined|name-taken/);
      expect((await fleet.api.read<{ status: string }>(`/v1/clusters/${id}`)).status).toBe('ACTIVE');
      const { items } = await fleet.api.read<{ items: readonly object[] }>('/v1/container-profiles');
      expect(items).toEqual([]);
    });

  if (['README.md', 'docs/tutorial/heal-a-cluster.md'].includes(name))
    it('a request that is refused prints its reason', async () => {
      const [first] = blocks.filter(({ text }) => text.includes('field()'));
      const refused = `${first?.text.split('\n\n')[0] ?? ''}\napi -X POST $S/v1/clusters -d '{"name":"-"}' | field operationId`;
      const again = paste([{ line: 1, text: refused }], stack?.url ?? '', directory);
      await expect(again).rejects.toThrow(/the commands ended with 1:[^]*name must match/);
      await expect(again).rejects.not.toThrow(/undefined/);
    });

  if (name === join('docs', 'how-to', 'autoscale-a-set.md'))
    it('the commands name the reason when the cluster exists already', async () => {
      const again = paste(blocks.slice(0, 1), stack?.url ?? '', directory);
      await expect(again).rejects.toThrow(/the name shop is taken/);
      await expect(again).rejects.not.toThrow(/undefined/);
    });
});
