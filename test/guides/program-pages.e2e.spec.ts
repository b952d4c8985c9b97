import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repositoryRoot } from '@stave/testing';
import { docPages, docsDirectory } from './doc-pages.js';
import { startEmbedded, type Stack } from '../e2e/stack.js';

jest.setTimeout(240_000);

/** Returns the blocks of a page in JavaScript as one program. */
const programOf = (page: string): string =>
  [...readFileSync(join(docsDirectory, page), 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm)]
    .map(([, code]) => code)
    .join('\n');

const pages = docPages()
  .map(name => ({ name, program: programOf(name) }))
  .filter(({ program }) => program !== '');

/** What the program of a page must print, as a sign that it did what the page says. */
const printed: Readonly<Record<string, readonly RegExp[]>> = {
  'how-to/use-the-sdk.md': [
    /^signed in as admin$/m,
    /^cluster\.create SUCCEEDED$/m,
    /^shop is ACTIVE$/m,
    /^create workers-2$/m,
    /stave\.nodeGroup\.\w+\.v1$/m,
    /^400 /m,
    /^\/nodeGroups\/0\/count /m,
  ],
};

it('every page with a program states what the program prints', () => {
  expect(pages.map(({ name }) => name)).toEqual(Object.keys(printed));
});

describe.each(pages)('the program of docs/$name', ({ name, program }) => {
  let stack: Stack | undefined;
  beforeAll(async () => void (stack = await startEmbedded()));
  afterAll(() => stack?.close());

  it('runs without an error and prints what the page says', async () => {
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      STAVE_URL: stack?.url ?? '',
      STAVE_TOKEN: stack?.adminKey ?? '',
    };
    const child = spawn(process.execPath, ['--input-type=module'], { cwd: repositoryRoot(), env, timeout: 200_000 });
    child.stdin.end(program);
    const closed = once(child, 'close');
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await closed;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    for (const line of printed[name] ?? []) expect(output).toMatch(line);
  });
});
