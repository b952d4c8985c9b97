import { chromiumMissing, describeOn, eventually, expectStatus } from '@stave/testing';
import type { Locator, Page } from 'playwright-core';
import type { ContainerSetView, ContainerView, NodeView } from '../e2e/views.js';
import { waitingRemovals, type WaitingRemovals } from '../pictures/waiting-removals.js';
import { press } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(300_000);

describeOn(chromiumMissing(), 'removals that wait for their release, in the console', () => {
  const product = consoleProduct();
  const { signedIn } = product;
  let removals: WaitingRemovals;

  beforeAll(async () => {
    removals = await waitingRemovals(product.fleet);
  });

  const waitsAt = async (page: Page): Promise<Locator> => {
    const panel = page.getByRole('region', { name: 'Waits for its release' });
    await panel.getByText('somebody who releases or keeps it').waitFor(WAIT);
    expect(await panel.textContent()).toMatch(/Since.*ago.*Until.*in \d+ m.*then it is removed/s);
    await page.getByText('waiting', { exact: true }).first().waitFor(WAIT);
    return panel;
  };

  it('a node says since when, for what and until when; a plan comes before its release', async () => {
    const page = await signedIn(`/nodes/${removals.nodeThatWaits}`);
    await (await waitsAt(page)).getByRole('button', { name: /^Release racks-/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its removal continues now, and cannot be undone.').waitFor(WAIT);
    await press(dialog, 'Release exactly this');
    await eventually(async () => (await product.fleet.api.get(`/v1/nodes/${removals.nodeThatWaits}`)).status === 404, {
      timeoutMs: 60_000,
      what: 'the node is removed',
    });
  });

  it('a container is kept, and the page does not say any more that it waits', async () => {
    const page = await signedIn(`/containers/${removals.memberThatWaits}`);
    const panel = await waitsAt(page);
    await panel.getByRole('button', { name: /^Keep queue-/ }).click();
    await press(page.getByRole('dialog'), 'Apply exactly this');
    await panel.waitFor({ state: 'detached', ...WAIT });
    expect(await product.fleet.api.read<ContainerView>(`/v1/containers/${removals.memberThatWaits}`)).toMatchObject({
      status: 'ACTIVE',
    });
    expect((await product.fleet.api.read<ContainerSetView>('/v1/container-sets/queue')).desired).toBe(2);
  });

  it('a list shows it as waiting', async () => {
    const { id } = await product.fleet.cluster({ name: 'listed' }, [{ name: 'w', count: 2 }]);
    const { id: group } = await product.fleet.group(id, 'w');
    expectStatus(await product.fleet.api.put(`/v1/node-groups/${group}/policies/ask-first`, {}), 200);
    expectStatus(await product.fleet.api.post(`/v1/node-groups/${group}/actions/resize`, { count: 1 }), 202);
    const page = await signedIn(`/groups/${group}/nodes`);
    const row = page.getByRole('row').filter({ hasText: 'it waits for its release until' });
    await row.getByText('waiting', { exact: true }).waitFor(WAIT);
    expect(
      (await product.fleet.api.list<NodeView>(`/v1/nodes?clusterId=${id}`)).filter(one => one.release),
    ).toHaveLength(1);
  });
});
