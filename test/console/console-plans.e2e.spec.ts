import { chromiumMissing, describeOn, eventually } from '@stave/testing';
import type { Locator } from 'playwright-core';
import type { ResourceView } from '../e2e/views.js';
import { axeViolations, press, views } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(240_000);

const colors = { removed: 'rgb(179, 38, 30)', made: 'rgb(29, 122, 62)' };

describeOn(chromiumMissing(), 'plans of the console that take something away', () => {
  const product = consoleProduct();
  const { open, signedIn } = product;

  const hasFocus = (place: Locator): Promise<boolean> => place.evaluate(one => one === one.ownerDocument.activeElement);
  const styleOf = (place: Locator, name: string): Promise<string | undefined> =>
    place.evaluate(
      (one, property) => one.ownerDocument.defaultView?.getComputedStyle(one).getPropertyValue(property),
      name,
    );

  it('a cluster is deleted after its name was typed, by the keyboard alone', async () => {
    const { id } = await product.fleet.cluster({ name: 'typed' }, [{ count: 1 }]);
    const page = await signedIn(`/clusters/${id}`);
    await page.getByRole('button', { name: 'Delete typed' }).focus(WAIT);
    await page.keyboard.press('Enter');
    const name = page.getByRole('textbox', { name: 'Type typed to confirm' });
    await name.waitFor(WAIT);
    const apply = page.getByRole('dialog').getByRole('button', { name: 'Delete exactly this' });
    await eventually(() => hasFocus(name), 'the field has the focus');
    expect(await apply.isDisabled()).toBe(true);
    await page.keyboard.type('Typed');
    await page.keyboard.press('Enter');
    expect([await apply.isDisabled(), new URL(page.url()).pathname]).toEqual([true, `/console/clusters/${id}`]);
    await name.fill('typed');
    await page.getByRole('status').getByText('This is the name. The change can be made.').waitFor(WAIT);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/operations\//, WAIT);
    await page.getByRole('heading', { level: 1, name: 'Delete cluster typed' }).waitFor(WAIT);
  });

  it('a node group takes its nodes with it, so its name is typed, too; a key is revoked without', async () => {
    const { id } = await product.fleet.cluster({ name: 'grouped' }, [{ name: 'w', count: 1 }]);
    const group = await product.fleet.group(id, 'w');
    const page = await signedIn(`/groups/${group.id}`);
    await press(page, 'Delete w');
    await page.getByRole('textbox', { name: 'Type w to confirm' }).fill('w');
    await press(page.getByRole('dialog'), 'Delete exactly this');
    await page.waitForURL(/\/operations\//, WAIT);
    const key = { project: 'default', role: 'reader', name: 'to revoke' };
    await product.fleet.api.post<ResourceView>('/v1/api-keys', key);
    await page.evaluate("history.pushState(null, '', '/console/access/default/keys')");
    await press(page, 'Revoke to revoke');
    await press(page.getByRole('dialog'), 'Revoke exactly this');
    await page.getByRole('button', { name: 'Revoke to revoke' }).waitFor({ state: 'detached', ...WAIT });
  });

  it.each(views)(
    'a deletion does not look like any other change at $width px in $scheme, and is accessible',
    async view => {
      const { id, name } = await product.fleet.cluster({ name: `looks-${view.width}-${view.scheme}` }, [{ count: 1 }]);
      const page = await (await open(view)).signedIn(product.stack.adminKey, `/clusters/${id}`);
      await press(page, `Delete ${name}`);
      const field = page.getByRole('textbox', { name: `Type ${name} to confirm` });
      await field.waitFor(WAIT);
      expect(await axeViolations(page)).toEqual([]);
      await field.fill(name);
      const apply = page.getByRole('dialog').getByRole('button', { name: 'Delete exactly this' });
      const red = await styleOf(
        page.getByRole('button', { name: `Delete ${name}`, exact: true, includeHidden: true }),
        'color',
      );
      expect([await apply.isEnabled(), await styleOf(apply, 'background-color')]).toEqual([true, red]);
      expect(await axeViolations(page)).toEqual([]);
      const directory = process.env['PICTURES'];
      if (directory) await page.screenshot({ path: `${directory}/delete-${view.width}-${view.scheme}.png` });
    },
  );

  it('the difference of a stale plan marks a removal as one, and strikes out what is not done any more', async () => {
    const { id } = await product.fleet.cluster({ name: 'moved' }, [{ name: 'w', count: 1 }]);
    const page = await signedIn(`/clusters/${id}`);
    await press(page, 'Resize w');
    await page.getByLabel('Nodes of w').fill('2');
    await press(page, 'Plan');
    await page.getByText('w-1').waitFor(WAIT);
    await product.fleet.api.succeed(product.fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { count: 3 }));
    await press(page, 'Apply exactly this');
    const stale = page.getByRole('alert').filter({ hasText: 'The state has moved since the plan was made' });
    const removal = stale
      .getByRole('list', { name: 'New in the plan' })
      .getByRole('listitem')
      .filter({ hasText: 'remove' });
    await removal.waitFor(WAIT);
    expect(await removal.textContent()).toMatch(/^− remove w-\d/);
    expect(await styleOf(removal, 'color')).toBe(colors.removed);
    const gone = stale.getByRole('list', { name: 'Not in the plan any more' }).getByRole('listitem');
    const creation = gone.filter({ hasText: 'create' });
    expect(await creation.textContent()).toMatch(/^\+ create w-1/);
    expect(await styleOf(creation.locator('del'), 'text-decoration-line')).toBe('line-through');
    expect([colors.removed, colors.made]).not.toContain(await styleOf(creation, 'color'));
    expect(await axeViolations(page)).toEqual([]);
    const directory = process.env['PICTURES'];
    if (directory) await page.screenshot({ path: `${directory}/stale.png` });
  });
});
