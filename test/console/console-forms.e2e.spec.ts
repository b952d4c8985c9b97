import { chromiumMissing, describeOn, expectStatus } from '@stave/testing';
import type { Locator, Page } from 'playwright-core';
import type { ResourceView } from '../e2e/views.js';
import { picturedFleet, type PicturedFleet } from '../pictures/pictured-fleet.js';
import { axeViolations, press, views } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(300_000);

const types = ['placement', 'affinity', 'scaling', 'deletion', 'health', 'batch'];

interface PolicyView extends ResourceView {
  readonly properties: Readonly<Record<string, unknown>>;
}

describeOn(chromiumMissing(), 'forms of the console', () => {
  const product = consoleProduct();
  const { open, signedIn } = product;
  let pictured: PicturedFleet;

  beforeAll(async () => {
    pictured = await picturedFleet(product.stack);
  });

  const choose = async (page: Page | Locator, field: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: field, exact: true }).first().click(WAIT);
    await page.getByRole('option', { name: option, exact: true }).click(WAIT);
  };
  const keyOf = async (role: string): Promise<string> => {
    const body = { project: 'default', role, name: `${role} of forms` };
    return expectStatus(await product.fleet.api.post<{ key: string }>('/v1/api-keys', body), 201).body.key;
  };
  const policyNamed = (name: string): Promise<PolicyView> => product.fleet.api.read(`/v1/policies/${name}`);
  const applied = async (page: Page): Promise<void> => {
    await press(page, 'Plan');
    await page.getByRole('region', { name: 'Plan' }).waitFor(WAIT);
    await press(page, 'Apply exactly this');
  };

  describe('quotas', () => {
    it('an operator sets and lifts limits; what is wrong is said at its field, which gets the focus', async () => {
      const page = await signedIn(`/access/${pictured.project}`);
      await press(page, 'Change the limits');
      const clusters = page.getByRole('textbox', { name: 'Clusters' });
      await clusters.fill('7');
      await page.getByRole('textbox', { name: 'Nodes', exact: true }).fill('40');
      await applied(page);
      await page.getByText('of 7', { exact: true }).waitFor(WAIT);
      await press(page, 'Change the limits');
      await page.getByRole('textbox', { name: 'Nodes', exact: true }).fill('');
      await clusters.fill('-3');
      await press(page, 'Plan');
      await page.getByRole('alert').locator('code', { hasText: '/limits/clusters' }).waitFor(WAIT);
      expect(await clusters.getAttribute('aria-invalid')).toBe('true');
      expect(await clusters.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
      await clusters.fill('7');
      await applied(page);
      await page.getByRole('button', { name: 'Change the limits' }).waitFor(WAIT);
      const { limits } = await product.fleet.api.read<{ limits: object }>(`/v1/projects/${pictured.project}/quotas`);
      expect(limits).toMatchObject({ clusters: 7, nodes: null });
    });

    it.each(['reader', 'member'])('a %s sees limits and use, and who can change them', async role => {
      const page = await signedIn('/access/default', await keyOf(role));
      await page.getByText('of 40', { exact: true }).waitFor(WAIT);
      await page.getByText('The role operator is needed to change the limits.').waitFor(WAIT);
      expect(await page.getByRole('button', { name: 'Change the limits' }).count()).toBe(0);
    });
  });

  describe('policies', () => {
    it('the form has the fields of every type that the API document has', async () => {
      const page = await signedIn('/change/policy');
      const document = await product.fleet.api.read<{
        components: { schemas: Record<string, { properties: object }> };
      }>('/openapi.json');
      for (const type of types) {
        await choose(page, 'Type', type);
        const name = `${type.charAt(0).toUpperCase()}${type.slice(1)}Properties`;
        for (const member of Object.keys(document.components.schemas[name]?.properties ?? {})) {
          const words = member.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
          const field = page
            .getByText(new RegExp(`^((add|set) )?${words.replace(/s$/, '')}s?( 1.*| remove)?$`, 'i'))
            .first();
          await field.waitFor(WAIT);
        }
      }
    });

    it('one is made with a list and an object, changed, a member of it removed, and deleted', async () => {
      const page = await signedIn('/change/policy');
      await page.getByRole('textbox', { name: 'Name' }).fill('made-by-form');
      await choose(page, 'Type', 'deletion');
      await choose(page, 'Criteria', 'oldest');
      await press(page, 'Set hook');
      const timeout = page.getByRole('textbox', { name: 'Timeout seconds' });
      await timeout.fill('99999999');
      await press(page, 'Plan');
      await page.getByRole('alert').locator('code', { hasText: '/properties/hook/timeoutSeconds' }).waitFor(WAIT);
      expect(await timeout.getAttribute('aria-invalid')).toBe('true');
      await timeout.fill('600');
      await choose(page, 'On timeout', 'abort');
      await applied(page);
      await page.getByRole('heading', { level: 1, name: 'made-by-form', exact: true }).waitFor(WAIT);
      expect((await policyNamed('made-by-form')).properties).toEqual({
        criteria: 'oldest',
        hook: { timeoutSeconds: 600, onTimeout: 'abort' },
      });
      await page.getByRole('link', { name: 'Change made-by-form' }).click();
      // what is chosen is left out by choosing it again
      await choose(page, 'On timeout', 'abort');
      await choose(page, 'Criteria', 'oldest');
      await applied(page);
      await page.getByRole('heading', { level: 1, name: 'made-by-form', exact: true }).waitFor(WAIT);
      expect((await policyNamed('made-by-form')).properties).toEqual({ hook: { timeoutSeconds: 600 } });
      await press(page, 'Delete made-by-form');
      await press(page, 'Delete exactly this');
      await page.waitForURL(/\/policies$/, WAIT);
      expectStatus(await product.fleet.api.get('/v1/policies/made-by-form'), 404);
    });

    it('it is attached from its page and from that of a target, changed, detached, and deleted with its attachments', async () => {
      const body = { name: 'to-attach', type: 'health', properties: { maxUnhealthy: '25%' } };
      const { id } = expectStatus(await product.fleet.api.post<ResourceView>('/v1/policies', body), 201).body;
      const page = await signedIn(`/policies/${id}/attachments`);
      await press(page, 'Attach to-attach');
      const dialog = page.getByRole('dialog');
      await choose(page, 'To a', 'node group');
      await dialog.getByRole('combobox', { name: 'Node group' }).fill('workers');
      await page.getByRole('option', { name: 'shop/workers' }).click(WAIT);
      await dialog.getByLabel('Priority').fill('5');
      await press(dialog, 'Plan');
      await press(dialog, 'Apply exactly this');
      await page.getByText('priority 5').waitFor(WAIT);
      await press(page, 'Change how to-attach is attached to workers');
      await dialog.getByRole('switch', { name: 'Enabled' }).click({ ...WAIT, force: true });
      await press(dialog, 'Plan');
      await press(dialog, 'Apply exactly this');
      await page.getByText('switched off', { exact: true }).waitFor(WAIT);
      await press(page, 'Detach to-attach from workers');
      await press(dialog, 'Detach exactly this');
      await page.getByText('It is attached to nothing').waitFor(WAIT);
      await page.evaluate(`history.pushState(null, '', '/console/clusters/${pictured.shop}/policies')`);
      await press(page, 'Attach a policy to shop');
      await dialog.getByRole('combobox', { name: 'Policy' }).fill('to-at');
      await page.getByRole('option', { name: 'to-attach' }).click(WAIT);
      await press(dialog, 'Plan');
      await press(dialog, 'Apply exactly this');
      await page.getByRole('button', { name: 'Detach to-attach from shop' }).waitFor(WAIT);
      await page.evaluate(`history.pushState(null, '', '/console/policies/${id}')`);
      await page.getByRole('heading', { level: 1, name: 'to-attach', exact: true }).waitFor(WAIT);
      await page.evaluate(`history.pushState(null, '', '/console/policies/${id}/attachments')`);
      await page.getByRole('button', { name: 'Detach to-attach from shop' }).waitFor(WAIT);
      await press(page, 'Delete to-attach');
      await dialog.getByText('It is detached from what it is attached to: 1 in all.').waitFor(WAIT);
      await press(dialog, 'Delete exactly this');
      await page.waitForURL(/\/policies$/, WAIT);
    });

    it('a target that the type cannot have is refused in the dialog, and nothing is attached', async () => {
      const page = await signedIn(`/policies/${pictured.policy}/attachments`);
      await press(page, 'Attach two-zones');
      const dialog = page.getByRole('dialog');
      await choose(page, 'To a', 'node group');
      await dialog.getByRole('combobox', { name: 'Node group' }).fill('workers');
      await page.getByRole('option', { name: 'shop/workers' }).click(WAIT);
      await press(dialog, 'Plan');
      await dialog.getByRole('alert').waitFor(WAIT);
      expect(await dialog.getByRole('button', { name: 'Apply exactly this' }).count()).toBe(0);
    });

    it('a reader is refused by the API, and a network that is away leaves what was typed', async () => {
      const page = await signedIn('/change/policy', await keyOf('reader'));
      await press(page, 'Plan');
      await page.getByRole('alert').getByText('forbidden').first().waitFor(WAIT);
      await page.getByRole('textbox', { name: 'Name' }).fill('kept');
      await page.route('**/v1/policies?*', route => route.abort());
      await press(page, 'Plan');
      await page.getByRole('alert').getByText('No answer', { exact: true }).waitFor(WAIT);
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('kept');
    });
  });

  it.each(views)('its states are accessible and as wide as the screen at $width px in $scheme', async view => {
    const page = await (await open(view)).signedIn(product.stack.adminKey, '/access/default');
    const wrong: string[] = [];
    const check = async (what: string): Promise<void> => {
      wrong.push(...(await axeViolations(page)).map(violation => `${what}: ${violation}`));
      const [width, room] = (await page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )) as [number, number];
      if (width > room) wrong.push(`${what}: ${width} px wide on ${room}`);
      const directory = process.env['PICTURES'];
      if (directory) await page.screenshot({ path: `${directory}/${what}-${view.width}-${view.scheme}.png` });
    };
    await press(page, 'Change the limits');
    await page.getByRole('textbox', { name: 'Clusters' }).fill('-3');
    await press(page, 'Plan');
    await page.getByRole('alert').waitFor(WAIT);
    await check('quotas');
    await page.evaluate("history.pushState(null, '', '/console/change/policy')");
    for (const type of types) {
      await choose(page, 'Type', type);
      const adds = page.locator('.add');
      await adds
        .first()
        .waitFor({ timeout: 1_000 })
        .catch(() => undefined);
      for (let left = await adds.count(); left > 0; left--) await adds.nth(left - 1).click();
      await check(`policy-${type}`);
    }
    await page.evaluate(`history.pushState(null, '', '/console/policies/${pictured.policy}/attachments')`);
    await press(page, 'Attach two-zones');
    await page.getByRole('dialog').getByLabel('Priority').waitFor(WAIT);
    await check('attach');
    await page.keyboard.press('Escape');
    await page.evaluate(`history.pushState(null, '', '/console/nodes/${pictured.nodeThatWaits}')`);
    await page.getByRole('button', { name: /^Release racks-/ }).click(WAIT);
    await page.getByRole('dialog').getByRole('region', { name: 'Plan' }).waitFor(WAIT);
    await check('release');
    expect(wrong).toEqual([]);
  });
});
