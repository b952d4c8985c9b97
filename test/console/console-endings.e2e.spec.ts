import { chromiumMissing, describeOn, expectStatus } from '@stave/testing';
import type { Locator, Page } from 'playwright-core';
import { axeViolations } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(240_000);

describeOn(chromiumMissing(), 'what the console says when something ends or is missing', () => {
  const product = consoleProduct();
  const { open, signedIn } = product;

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  it('an empty size is none that can be planned, and what is typed next is the size', async () => {
    const { id } = await product.fleet.cluster({ name: 'emptied' }, [{ name: 'w', count: 1 }]);
    const page = await signedIn(`/clusters/${id}`);
    await page.getByRole('button', { name: 'Resize w' }).click();
    const size = page.getByLabel('Nodes of w');
    await size.press('Backspace');
    const plan = page.getByRole('button', { name: 'Plan', exact: true });
    expect([await size.inputValue(), await plan.isDisabled()]).toEqual(['', true]);
    await size.press('2');
    await plan.click();
    await page.getByText('count 1 → 2').waitFor(WAIT);
  });

  it('a key that is revoked ends the session of every page, and they say so', async () => {
    const key = { project: 'default', role: 'reader', name: 'short-lived' };
    const { body } = await product.fleet.api.post<{ id: string; key: string }>('/v1/api-keys', key);
    const browser = await open();
    const pages = [await browser.signedIn(body.key), await browser.page('/clusters')];
    for (const page of pages) await page.getByText('live', { exact: true }).first().waitFor(WAIT);
    expectStatus(await product.fleet.api.delete(`/v1/api-keys/${body.id}`), 204);
    for (const page of pages) {
      await page.getByText('The key you were signed in with was revoked or has expired.').waitFor(WAIT);
      expect(await heading(page, 'Sign in to Stave').isVisible()).toBe(true);
    }
  });

  it('a cluster that is deleted while it is shown is called deleted', async () => {
    const { id } = await product.fleet.cluster({ name: 'doomed' }, [{ count: 1 }]);
    const page = await signedIn(`/clusters/${id}`);
    await page.getByText('1 of 1 nodes ready').waitFor(WAIT);
    await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${id}`));
    await page.getByText('This cluster was deleted').waitFor(WAIT);
    await heading(page, 'doomed').waitFor(WAIT);
    expect(await page.getByText('deleting', { exact: true }).count()).toBe(0);
  });

  it.each(['yesterday', '5', '2026-02'])(
    'an address with the moment %s shows the present, and says so and what a moment is',
    async moment => {
      const { id, name } = await product.fleet.cluster({ name: `timeless-${moment}` }, [{ count: 1 }]);
      const page = await signedIn(`/clusters?name=timeless&at=${moment}`);
      await page.getByRole('link', { name }).waitFor(WAIT);
      const time = page.getByRole('region', { name: 'Time', exact: true });
      const sentence = await time.getByRole('alert').textContent(WAIT);
      expect(sentence).toContain(`The address asks for ${moment}, which is no moment.`);
      expect(sentence).toMatch(/shown as it is now\. A moment is a date, such as [\d-]{10}, or a time with its zone/);
      expect(await axeViolations(page)).toEqual([]);
      await time.getByRole('button', { name: 'Back to now' }).click();
      await time.waitFor({ state: 'detached', ...WAIT });
      expect(new URL(page.url()).searchParams.get('at')).toBeNull();
      await page.getByRole('link', { name }).click();
      await page.waitForURL(new RegExp(`/clusters/${id}$`), WAIT);
    },
  );

  it('a moment with the zone of its place is taken as it is typed', async () => {
    const page = await signedIn('/clusters?at=2020-01-01T12:00:00+01:00');
    await page.getByText('As it was at').waitFor(WAIT);
    await heading(page, 'Clusters').waitFor(WAIT);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a moment that has not come yet shows the present, says so, and is not kept', async () => {
    const { name } = await product.fleet.cluster({ name: 'yet-to-come' }, [{ count: 1 }]);
    const page = await signedIn('/clusters?name=yet-&at=2100-01-01T12:00:00Z');
    const time = page.getByRole('region', { name: 'Time', exact: true });
    await time.getByRole('alert').getByText('which has not come yet. Everything is shown as it is now.').waitFor(WAIT);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.locator('.command-line code').textContent(WAIT)).toBe('stave clusters list --name yet-');
    await page.getByRole('link', { name }).click();
    await page.getByRole('button', { name: 'Resize w' }).waitFor(WAIT);
    expect(new URL(page.url()).searchParams.get('at')).toBeNull();
    await page.goBack();
    await time.getByRole('button', { name: 'Back to now' }).click();
    await time.waitFor({ state: 'detached', ...WAIT });
    expect(new URL(page.url()).searchParams.get('at')).toBeNull();
  });

  it('Escape closes the menu of a small screen and gives the focus back to its button', async () => {
    const page = await (await open({ width: 390, scheme: 'light' })).signedIn(product.stack.adminKey);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Fleet' });
    await link.focus(WAIT);
    await page.keyboard.press('Escape');
    const button = page.getByRole('button', { name: 'Open the menu' });
    await button.waitFor(WAIT);
    await link.waitFor({ state: 'hidden', ...WAIT });
    expect(await button.evaluate(one => one === one.ownerDocument.activeElement)).toBe(true);
  });

  it('the key of the time moves the focus to the slider, also in the past, and Escape gives it back', async () => {
    const { id, name } = await product.fleet.cluster({ name: 'by-keys' }, [{ count: 1 }]);
    const page = await signedIn('/clusters?name=by-keys');
    const link = page.getByRole('link', { name });
    const slider = page.getByRole('slider', { name: 'The moment that all pages show' });
    const hasFocus = (place: Locator): Promise<boolean> =>
      place.evaluate(one => one === one.ownerDocument.activeElement);
    await link.focus(WAIT);
    await page.keyboard.press('@');
    expect(await hasFocus(slider)).toBe(true);
    await page.keyboard.press('Escape');
    await slider.waitFor({ state: 'detached', ...WAIT });
    expect(await hasFocus(link)).toBe(true);
    await page.evaluate(`history.pushState(null, '', '/console/clusters/${id}?at=${new Date().toISOString()}')`);
    await heading(page, name).waitFor(WAIT);
    await page.keyboard.press('@');
    expect(await hasFocus(slider)).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('Escape');
    await page.getByText('As it was at').waitFor(WAIT);
  });

  it('a short table shows all of its rows without scrolling, down to the end of the last one', async () => {
    const { name } = await product.fleet.cluster({ name: 'zz-last' }, [{ count: 1 }]);
    const page = await signedIn('/clusters');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
    await row.waitFor(WAIT);
    const hidden = await page
      .getByRole('table')
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    expect([await page.getByRole('row').last().innerText(), hidden]).toEqual([await row.innerText(), 0]);
  });

  it('an operation that ended without a conductor does not wait for one, and its command can be copied on a small screen', async () => {
    const { id: cluster } = await product.fleet.cluster({ name: 'narrow' }, [{ count: 1 }]);
    const resources = { cpus: 900, memoryMb: 64 };
    const profile = { name: 'huge', image: 'nginx:1', hostCluster: cluster, resources };
    expectStatus(await product.fleet.api.post('/v1/container-profiles', profile), 201);
    expectStatus(await product.fleet.api.post('/v1/containers', { profile: 'huge', name: 'huge-1' }), 202);
    const change = await product.fleet.api.patch<{ operationId: string }>('/v1/containers/huge-1', {
      resources: { cpus: 800, memoryMb: 64 },
    });
    expectStatus(change, 202);
    const page = await (
      await open({ width: 390, scheme: 'light' })
    ).signedIn(product.stack.adminKey, `/operations/${change.body.operationId}`);
    await page.getByText('No conductor had to do anything.').waitFor(WAIT);
    const copy = page.getByRole('button', { name: /^Copy the command stave operations get/ });
    expect((await copy.boundingBox())?.height).toBeLessThan(32);
  });

  it('a page that cannot be loaded leaves the rest of the console usable', async () => {
    const browser = await open();
    const page = await browser.signedIn(product.stack.adminKey);
    await page.route(/assets\/fleet-[^/]*\.js/, route => route.fulfill({ status: 404 }));
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await navigation.getByRole('link', { name: /^Fleet/ }).click();
    await heading(page, 'This page could not be loaded').waitFor(WAIT);
    await navigation.getByRole('link', { name: /^Clusters/ }).click();
    await heading(page, 'Clusters').waitFor(WAIT);
    browser.errors.splice(0);
  });

  it('what was asked while the product was away is shown when it is back', async () => {
    const page = await signedIn();
    await page.getByText('live', { exact: true }).first().waitFor(WAIT);
    const startAgain = await product.kill();
    await page.getByText('reconnecting').waitFor(WAIT);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Operations' }).click();
    await page.getByText('No answer', { exact: true }).waitFor(WAIT);
    await startAgain();
    await page.getByRole('link', { name: 'Create cluster' }).first().waitFor(WAIT);
    expect(await page.getByText('No answer', { exact: true }).count()).toBe(0);
  });
});
