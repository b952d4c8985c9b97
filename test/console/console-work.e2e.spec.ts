import { chromiumMissing, describeOn, eventually } from '@stave/testing';
import type { Page } from 'playwright-core';
import type { ContainerView } from '../e2e/views.js';
import { picturedFleet, type PicturedFleet } from '../pictures/pictured-fleet.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(300_000);

describeOn(chromiumMissing(), 'work with the console', () => {
  const product = consoleProduct();
  const { signedIn } = product;
  let pictured: PicturedFleet;

  beforeAll(async () => {
    pictured = await picturedFleet(product.stack);
  });

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  it('a container that waits names the reasons by their nodes, and a remedy is planned, applied, and places it', async () => {
    const page = await signedIn(`/containers/${pictured.waiting}`);
    await page.getByText('It waits.').waitFor(WAIT);
    await page.getByText('The node is not in zone b.').waitFor(WAIT);
    await page.getByRole('link', { name: 'managers-0' }).waitFor(WAIT);
    await page
      .getByRole('button', { name: /^Ask for .* CPUs/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('resources', { exact: false }).first().waitFor(WAIT);
    await page.getByRole('button', { name: 'Apply exactly this' }).click(WAIT);
    await page.waitForURL(/\/operations\//, WAIT);
    await eventually(
      async () =>
        (await product.fleet.api.read<ContainerView>(`/v1/containers/${pictured.waiting}`)).status === 'ACTIVE',
      { timeoutMs: 60_000, what: 'the container is placed' },
    );
  });

  it('a container that is placed shows the parts of the score of each node, the chosen one first', async () => {
    const page = await signedIn(`/containers/${pictured.placed}`);
    const scores = page.getByRole('table');
    await scores.getByText('chosen').waitFor(WAIT);
    expect(await scores.getByRole('columnheader').allTextContents()).toEqual(
      expect.arrayContaining(['Node', 'Total', 'least cpu', 'spread']),
    );
    expect(await scores.getByRole('row').nth(1).textContent()).toContain('chosen');
  });

  it('a node group that is scaled shows how many nodes it wanted over time, who wanted them, and which could go', async () => {
    const page = await signedIn(`/groups/${pictured.batch}/autoscaling`);
    await page.getByRole('img', { name: 'Nodes of batch over time' }).waitFor(WAIT);
    const changes = page.getByRole('list', { name: 'Changes of the number, newest first' });
    const grown = changes.getByRole('listitem').filter({ hasText: 'by autoscaler' }).last();
    await grown.getByText('1 → ').waitFor(WAIT);
    expect(await changes.getByRole('listitem').last().textContent()).toContain('1 node');
    await page.getByRole('heading', { name: 'Nodes that could go' }).waitFor(WAIT);
    await page.locator('.command-line').getByText('stave node-groups get shop/batch').waitFor(WAIT);
  });

  it('older changes of the number of an autoscaled set and of a group are a page away', async () => {
    for (let round = 0; round < 7; round++)
      for (const count of [2, 3]) {
        await product.fleet.api.succeed(
          product.fleet.api.post(`/v1/container-sets/${pictured.web}/actions/resize`, { count }),
        );
        await product.fleet.api.succeed(
          product.fleet.api.patch(`/v1/node-groups/${pictured.workers}`, { count: 10 + count }),
        );
      }
    const reachesBack = async (path: string, list: string, first: RegExp): Promise<void> => {
      const page = await signedIn('/');
      // pages of the API are as short here as they are long for a set of years
      await page.route(/\/v1\/events\?/, route =>
        route.continue({ url: route.request().url().replace('limit=200', 'limit=5') }),
      );
      await page.evaluate(`history.pushState(null, '', '/console${path}')`);
      const lines = page.getByRole('list', { name: list }).getByRole('listitem');
      const older = page.getByRole('button', { name: 'Older' });
      await older.waitFor(WAIT);
      expect([await lines.count(), first.test((await lines.last().textContent()) ?? '')]).toEqual([12, false]);
      await eventually(
        async () => {
          if (first.test((await lines.last().textContent()) ?? '')) return true;
          if (await older.isEnabled()) await older.click();
          return false;
        },
        { timeoutMs: 60_000, what: 'the first of the changes is listed' },
      );
      expect(await older.isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Newer' }).click();
      expect(await lines.count()).toBe(12);
      const directory = process.env['PICTURES'];
      if (directory) await page.screenshot({ path: `${directory}/${path.split('/')[1] ?? ''}.png`, fullPage: true });
    };
    const { web, workers } = pictured;
    await reachesBack(`/sets/${web}/autoscaling`, 'Evaluations, newest first', /ago3 membersby administrator/);
    const autoscaling = { enabled: true, idleSeconds: 3_600 };
    await product.fleet.api.succeed(product.fleet.api.patch(`/v1/node-groups/${workers}`, { autoscaling }));
    await reachesBack(`/groups/${workers}/autoscaling`, 'Changes of the number, newest first', /ago12 nodesby/);
  });

  it('a log is followed while its page is shown', async () => {
    const page = await signedIn(`/containers/${pictured.placed}/logs`);
    await page.getByText('following').waitFor(WAIT);
    await page.getByText('started from shop/search:1.9.3').waitFor(WAIT);
    await page.getByRole('switch', { name: 'Follow' }).click();
    await page.getByText('read', { exact: true }).waitFor(WAIT);
  });

  it('the history is filtered by the server, and an event names its actor, its operation and what it changed', async () => {
    const { id } = await product.fleet.cluster({ name: 'changing' }, [{ name: 'w', count: 1 }]);
    await product.fleet.api.succeed(product.fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { count: 2 }));
    const page = await signedIn('/history?cluster=changing&type=nodeGroup');
    const events = page.getByRole('list', { name: 'Events, newest first' });
    const resized = events.getByRole('listitem').filter({ hasText: 'resized' });
    await resized.waitFor(WAIT);
    expect(await resized.textContent()).toContain('administrator');
    expect(await resized.getByRole('link', { name: 'operation' }).count()).toBe(1);
    await resized.getByRole('button').click();
    await resized.getByText('count 1 → 2').waitFor(WAIT);
    expect((await events.getByRole('listitem').allTextContents()).filter(text => text.includes('container'))).toEqual(
      [],
    );
  });

  it('a name in a table is one step, which Back takes back', async () => {
    const page = await signedIn('/clusters?name=edge-1');
    const steps = (): Promise<unknown> => page.evaluate('history.length');
    const link = page.getByRole('link', { name: 'edge-1', exact: true });
    await link.waitFor(WAIT);
    const before = Number(await steps());
    await link.click();
    await heading(page, 'edge-1').waitFor(WAIT);
    expect(await steps()).toBe(before + 1);
    await page.goBack();
    await heading(page, 'Clusters').waitFor(WAIT);
  });

  it('the plan of a change by the keyboard leaves the focus on what applies it', async () => {
    const page = await signedIn('/change/cluster');
    await page.getByRole('textbox', { name: /^Name$/ }).fill('by-the-keyboard');
    await page.getByRole('button', { name: 'Plan', exact: true }).focus();
    await page.keyboard.press('Enter');
    const apply = page.getByRole('button', { name: 'Apply exactly this' });
    await apply.waitFor(WAIT);
    await eventually(
      async () => (await page.evaluate("document.activeElement?.textContent ?? ''")) === 'Apply exactly this',
      'the button has the focus',
    );
  });

  it('the palette leads to a resource by the beginning of its name', async () => {
    const page = await signedIn();
    await heading(page, 'Overview').waitFor(WAIT);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages and names' }).fill('edge-1');
    await page.getByRole('option', { name: /^edge-1\s*cluster/ }).waitFor(WAIT);
    await page.keyboard.press('Enter');
    await heading(page, /^edge-1/).waitFor(WAIT);
  });

  it('a cluster is made from the form; what is wrong with it is said by its pointer', async () => {
    const page = await signedIn('/change/cluster');
    await page.getByRole('textbox', { name: /^Name$/ }).fill('shop');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('alert').getByText('name-taken').waitFor(WAIT);
    await page.getByRole('textbox', { name: /^Name$/ }).fill('from-the-form');
    const nodes = page.getByRole('textbox', { name: 'Nodes', exact: true });
    await nodes.fill('-5');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await eventually(async () => (await nodes.getAttribute('aria-invalid')) === 'true', 'the field says what is wrong');
    await nodes.fill('3');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('region', { name: 'Plan' }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Apply exactly this' }).click();
    await heading(page, 'Create cluster from-the-form').waitFor(WAIT);
    await page.getByText('succeeded').first().waitFor(WAIT);
  });

  it('the secret of a key is shown once', async () => {
    const page = await signedIn(`/access/${pictured.project}/keys`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('once');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const secret = (await page.locator('.secret').textContent(WAIT)) ?? '';
    expect(secret).toMatch(/^stv_/);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('once', { exact: true }).waitFor(WAIT);
    expect(await page.content()).not.toContain(secret);
  });

  it('a reader sees pages without errors of the page, reads which role is missing, and changes nothing', async () => {
    const key = { project: 'default', role: 'reader', name: 'looks only' };
    const { body } = await product.fleet.api.post<{ key: string }>('/v1/api-keys', key);
    const page = await signedIn('/access/default/keys', body.key);
    await page.getByText('The role admin is needed to see and make keys.').waitFor(WAIT);
    await page.evaluate(`history.pushState(null, '', '/console/containers/${pictured.placed}')`);
    await page.getByRole('button', { name: 'Restart search-canary' }).click(WAIT);
    await page.getByRole('dialog').getByRole('alert').waitFor(WAIT);
    expect(await page.getByRole('button', { name: 'Apply exactly this' }).count()).toBe(0);
  });

  it('operations name what they are about, also when it is gone', async () => {
    const { id } = await product.fleet.cluster({ name: 'gone' }, [{ count: 1 }]);
    await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${id}`));
    const page = await signedIn('/operations');
    await page.getByRole('link', { name: 'Create cluster gone' }).waitFor(WAIT);
  });
});
