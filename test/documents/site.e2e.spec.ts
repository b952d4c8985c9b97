import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from '@stave/api-gateway';
import { describeOn, repositoryRoot } from '@stave/testing';
import { docPages } from '../guides/doc-pages.js';
import { tableFile, rowsOf } from '../event-schemas/schema-documents.js';

const docs = join(repositoryRoot(), 'docs');
const missing = existsSync(join(docs, 'node_modules/vitepress')) ? undefined : 'run `npm ci` in docs';
const site = join(docs, 'dist');

describeOn(missing, 'the site of the documentation', () => {
  beforeAll(() => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(docs, 'tools/build-site.mjs')], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the site was not built: ${stdout}${stderr}`);
  }, 600_000);

  const page = (path: string): string => readFileSync(join(site, path), 'utf8');
  const pagesIn = (directory: string): string =>
    readdirSync(join(site, directory))
      .filter(file => file.endsWith('.html'))
      .map(file => page(join(directory, file)))
      .join('');

  it('has every page of docs, and no dead link, at which its build fails', () => {
    const sources = docPages();
    expect(sources.length).toBeGreaterThan(80);
    expect(sources.filter(file => !existsSync(join(site, file.replace(/\.md$/, '.html'))))).toEqual([]);
  });

  it('describes every operation of the API', () => {
    const pages = pagesIn('reference/api');
    const { paths } = apiDocument() as { readonly paths: Record<string, Record<string, { operationId: string }>> };
    const ids = Object.values(paths).flatMap(path => Object.values(path).map(({ operationId }) => operationId));
    expect(ids.length).toBeGreaterThan(150);
    expect(ids.filter(id => !pages.includes(`<code>${id}</code>`))).toEqual([]);
  });

  it('describes every type of event', () => {
    const pages = pagesIn('reference/event-types');
    const types = rowsOf(readFileSync(tableFile, 'utf8')).map(([type = '']) => type.replaceAll('`', ''));
    expect(types.length).toBeGreaterThan(50);
    expect(types.filter(type => !pages.includes(`<code>${type}</code>`))).toEqual([]);
  });

  it('leads to the console and to the API, which are beside it', () => {
    const links = [...page('index.html').matchAll(/<a [^>]*href="([^"]+)"[^>]*target="_self"/g)].map(
      ([, href]) => href,
    );
    expect(links).toEqual(['/console/', '/docs']);
  });

  it('can be searched without another host, and refers to none', () => {
    const chunks = readdirSync(join(site, 'assets/chunks'));
    expect(chunks.some(name => name.startsWith('@localSearchIndex') && name.endsWith('.js'))).toBe(true);
    const loaded = [...page('index.html').matchAll(/(?:src|href)="(https?:[^"]+)"/g)].map(([, url]) => url);
    expect(loaded).toEqual([]);
  });
});
