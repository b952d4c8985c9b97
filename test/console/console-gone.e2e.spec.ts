import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumMissing, describeOn, expectStatus } from '@stave/testing';
import type { Page } from 'playwright-core';
import type { ResourceView } from '../e2e/views.js';
import { axeViolations } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(240_000);

describeOn(chromiumMissing(), 'pages of the console whose resource is not there', () => {
  const product = consoleProduct();
  const { signedIn } = product;
  let directory: string;
  let cluster: string;
  let start: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-gone-'));
    start = new Date().toISOString();
    ({ id: cluster } = await product.fleet.cluster({ name: 'gone' }, [{ name: 'w', count: 2 }]));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const title = (page: Page, text: string) => page.getByRole('heading', { level: 2, name: text, exact: true });

  /** Follows what the page of a deleted resource offers: the command, the past, and the pages above it. */
  async function checkGone(path: string, name: string, what: string, above: readonly string[]): Promise<void> {
    const page = await signedIn(path);
    await heading(page, name).waitFor(WAIT);
    await title(page, `This ${what} was deleted`).waitFor(WAIT);
    await page.getByText(/^It was deleted on .* ago\) by administrator/).waitFor(WAIT);
    await page
      .getByRole('button', { name: `deleted, ${what}: details` })
      .first()
      .waitFor(WAIT);
    expect([path, await axeViolations(page)]).toEqual([path, []]);
    const command = (await page.locator('.command-line code').textContent()) ?? '';
    const printed = await product.pasted(command, directory);
    expect([command, printed]).toEqual([command, expect.stringContaining('.deleted.v1')]);
    const crumbs = page.getByRole('navigation', { name: 'Above this page' });
    expect(await crumbs.getByRole('link').allTextContents()).toEqual(above);
    await page.getByRole('link', { name: 'Show it as it was', exact: true }).click();
    await page.getByText('As it was at').waitFor(WAIT);
    await heading(page, name).waitFor(WAIT);
    await page
      .getByRole('link', { name: 'JSON' })
      .or(page.getByRole('link', { name: 'Topology' }))
      .waitFor(WAIT);
    expect(await title(page, `This ${what} was deleted`).count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await title(page, `This ${what} was deleted`).waitFor(WAIT);
    await crumbs.getByRole('link').first().click();
    await heading(page, above[0] ?? '').waitFor(WAIT);
  }

  it('before it was created a cluster did not exist yet, and its page leads to its creation', async () => {
    const page = await signedIn(`/clusters/${cluster}?at=${start}`);
    await title(page, 'This cluster did not exist at that time yet').waitFor(WAIT);
    await page.getByText(/^It was created on .* by administrator\.$/).waitFor(WAIT);
    await page.getByRole('link', { name: 'Show it as it was created' }).click();
    await page.getByRole('link', { name: 'Topology' }).waitFor(WAIT);
  });

  it('a deleted cluster, its group and its node say when and by whom they were deleted, and how they are seen again', async () => {
    const { id: group } = await product.fleet.group(cluster);
    const [node] = await product.fleet.nodes(cluster);
    await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${cluster}`));
    await checkGone(`/clusters/${cluster}`, 'gone', 'cluster', ['Clusters']);
    await checkGone(`/groups/${group}`, 'w', 'node group', ['Clusters', 'gone']);
    await checkGone(`/nodes/${node?.id}`, 'w-0', 'node', ['Clusters', 'gone']);
  });

  it('a deleted policy and a deleted profile, which no operation deletes, say the same', async () => {
    const policy = { name: 'rule', type: 'placement', properties: {} };
    await product.fleet.cluster({ name: 'host' }, []);
    const profile = { name: 'web', image: 'nginx:1', hostCluster: 'host' };
    for (const [list, path, body, what, above] of [
      ['/v1/policies', '/policies', policy, 'policy', 'Policies'],
      ['/v1/container-profiles', '/profiles', profile, 'container profile', 'Templates'],
    ] as const) {
      const { id } = expectStatus(await product.fleet.api.post<ResourceView>(list, body), 201).body;
      expectStatus(await product.fleet.api.delete(`${list}/${id}`), 204);
      await checkGone(`${path}/${id}`, body.name, what, [above]);
    }
  });

  it('an event leads to its page as it was right after it, and the browser back from there', async () => {
    const { id } = await product.fleet.cluster({ name: 'changed' }, [{ name: 'w', count: 1 }]);
    await product.fleet.api.succeed(product.fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { count: 3 }));
    const page = await signedIn(`/clusters/${id}/history`);
    const groups = page.getByRole('list', { name: 'Node groups' });
    await groups.getByText('3 of 3 ready').waitFor(WAIT);
    const created = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'became active, cluster: details' }) })
      .last();
    await created.getByRole('button').click();
    await created.getByRole('link', { name: 'Show this moment', exact: true }).waitFor(WAIT);
    expect(await axeViolations(page)).toEqual([]);
    await created.getByRole('link', { name: /^Show the moment of .* ago$/ }).click();
    await page.getByText('As it was at').waitFor(WAIT);
    await groups.getByText('of 1 ready').waitFor(WAIT);
    expect(page.url()).toMatch(/\/history\?at=/);
    await page.goBack();
    await groups.getByText('3 of 3 ready').waitFor(WAIT);
  });

  it('what never was is not called deleted', async () => {
    const page = await signedIn('/clusters/never');
    await title(page, 'There is no cluster with this id or name').waitFor(WAIT);
    await page.getByRole('link', { name: 'The history', exact: true }).click();
    await heading(page, 'History').waitFor(WAIT);
  });
});
