import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumMissing, describeOn } from '@stave/testing';
import type { Page } from 'playwright-core';
import { axeViolations } from './console-browser.js';
import { consoleProduct, WAIT } from './console-product.js';

jest.setTimeout(240_000);

describeOn(chromiumMissing(), 'commands that are copied from the console', () => {
  const product = consoleProduct();
  const { open } = product;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-copied-'));
    await product.fleet.cluster({ name: 'host' }, [{ name: 'w', count: 1 }]);
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const signedIn = async (path: string): Promise<Page> => {
    const browser = await open();
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    return browser.signedIn(product.stack.adminKey, path);
  };
  const copied = async (page: Page): Promise<string> => {
    await page
      .getByRole('button', { name: /^Copy the command/ })
      .last()
      .click(WAIT);
    return (await page.evaluate('navigator.clipboard.readText()')) as string;
  };
  const pasted = (text: string): Promise<string> => product.pasted(text, directory);

  it('a form gives the body along with its command, which plans the same when it is pasted', async () => {
    const page = await signedIn('/change/cluster');
    await page.getByRole('textbox', { name: /^Name$/ }).fill('pasted');
    const text = await copied(page);
    expect(text).toMatch(/^stave clusters create -f - --plan <<'EOF'\n\{\n[^]*"name": "pasted",[^]*\n\}\nEOF$/);
    expect(await pasted(text)).toMatch(/\+ pasted +cluster[^]*\+ workers-2 +node[^]*stave apply p\d+/);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('a group is planned in its cluster, and a change as the body that is sent', async () => {
    const group = await copied(await signedIn('/change/node-group?cluster=host'));
    expect(await pasted(group)).toMatch(/3 created/);
    const query = new URLSearchParams({
      path: '/v1/clusters/host',
      body: JSON.stringify({ labels: { at: "o'clock" } }),
    });
    const change = await copied(await signedIn(`/change/request?${query}`));
    expect(await pasted(change)).toMatch(/~ labels\.at +– → o'clock/);
  });

  it('a list of the past is printed by its command as the page shows it, also when its cluster is deleted meanwhile', async () => {
    const { id } = await product.fleet.cluster({ name: 'then-here' }, [{ name: 'w', count: 2 }]);
    const at = new Date().toISOString();
    await product.fleet.api.succeed(product.fleet.api.delete(`/v1/clusters/${id}`));
    await product.fleet.cluster({ name: 'then-later' }, []);
    const query = `at=${at}&name=then-&status=ACTIVE&sort=-createdAt`;
    const list = await copied(await signedIn(`/clusters?${query}`));
    expect(list).toBe(`stave clusters list --name then- --status ACTIVE --sort -createdAt --at ${at}`);
    const printed = await pasted(list);
    expect(printed).toMatch(/then-here +ACTIVE/);
    expect(printed).not.toContain('then-later');
    const page = await signedIn(`/clusters/${id}?at=${at}`);
    await page.getByRole('table', { name: 'Nodes of then-here' }).waitFor(WAIT);
    const texts = await page.locator('.command-line code').allTextContents();
    expect(texts).toEqual([`stave nodes list --cluster ${id} --at ${at}`, `stave clusters get ${id} --at ${at}`]);
    expect(await pasted(texts.join('\n'))).toMatch(/w-0 +[^]*w-1 +[^]*then-here/);
    const events = await copied(await signedIn(`/history?cluster=${id}&at=${at}`));
    expect(events).toBe(`stave events --since start --until ${at} --cluster ${id}`);
    const happened = await pasted(events);
    expect(happened).toMatch(/cluster\.created\.v1/);
    expect(happened).not.toMatch(/deleted/);
  });

  it('zones are separated as people separate words, the form says which it has understood, and a wrong one is said there', async () => {
    const page = await signedIn('/change/cluster');
    await page.getByRole('textbox', { name: /^Name$/ }).fill('zoned');
    const zones = page.getByRole('textbox', { name: 'Zones' });
    await page.getByText('With spaces, commas or semicolons between them').waitFor(WAIT);
    await zones.fill('a;b, c');
    await page.getByText('3 zones: a, b, c', { exact: true }).waitFor(WAIT);
    expect(JSON.parse((await copied(page)).replace(/^.*\n([^]*)\nEOF$/, '$1'))).toMatchObject({
      nodeGroups: [{ zones: ['a', 'b', 'c'] }],
    });
    await zones.fill('a a');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.locator('.fields').getByText('zone a is given twice').waitFor(WAIT);
    expect(await zones.getAttribute('aria-invalid')).toBe('true');
  });

  it('what a shell would take for more than a word is quoted, also when it comes with the address', async () => {
    const bad = `it's; touch ran $(touch ran) \`touch ran\``;
    const quoted = `'it'\\''s; touch ran $(touch ran) \`touch ran\`'`;
    for (const [path, command] of [
      [`/change/node-group?cluster=${encodeURIComponent(bad)}`, `stave ng create --cluster ${quoted} -f - --plan`],
      [`/history?cluster=${encodeURIComponent(bad)}`, `stave events --since start --cluster ${quoted}`],
    ] as const) {
      const text = await copied(await signedIn(path));
      expect(text.split(' <<')[0]).toBe(command);
      await pasted(text).catch(() => undefined);
    }
    expect(existsSync(join(directory, 'ran'))).toBe(false);
  });
});
