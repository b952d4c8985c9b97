import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureNodeImage, kubernetesMissing } from '@stave/driver-k8s-docker/testing';
import { describeOn, repositoryRoot } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { paste } from '../guides/paste.js';
import { blocksNotRun } from '../guides/shell-blocks.js';

const minutes = 60_000;
const root = repositoryRoot();
const blocks = blocksNotRun(readFileSync(join(root, 'README.md'), 'utf8'), 'the group of tests `kubernetes`');

describeOn(kubernetesMissing(), 'the tour of the README with Kubernetes', () => {
  jest.setTimeout(15 * minutes);
  let stack: EmbeddedStack | undefined;
  let directory: string;

  beforeAll(async () => {
    ensureNodeImage();
    stack = await EmbeddedStack.start(undefined, { DRIVERS_ENABLED: 'fake,k8s_docker' });
    directory = await mkdtemp(join(tmpdir(), 'stave-tour-'));
    await mkdir(join(directory, 'data'));
    await writeFile(join(directory, 'data', 'admin.key'), stack.adminKey);
    await symlink(join(root, 'libs'), join(directory, 'libs'));
  });
  afterAll(async () => {
    await stack?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('the commands run one after the other, and kubectl shows three nodes that are ready', async () => {
    expect(blocks).toHaveLength(1);
    const said = await paste(blocks, stack?.url ?? '', directory, 12 * minutes);
    expect(said.match(/^\S+ +Ready /gm)).toHaveLength(3);
  });
});
