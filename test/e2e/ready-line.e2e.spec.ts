import { rm } from 'node:fs/promises';
import { EmbeddedStack } from './stack.js';

jest.setTimeout(240_000);

it('the product says where it is in a line that programs read, and below it what people open', async () => {
  const product = await EmbeddedStack.start();
  try {
    const { url, dataDir } = product;
    const [first = '', ...pages] = linesFrom(product.recentLog);
    expect(first).toMatch(
      new RegExp(`^Stave is ready at ${url} \\(drivers: .*\\); the administrator's key is in ${dataDir}/admin.key$`),
    );
    expect(pages.slice(0, 3)).toEqual([
      `  Console  ${url}/console`,
      `  Help     ${url}/help`,
      `  API      ${url}/docs`,
    ]);
    for (const page of ['/console', '/help', '/docs']) expect((await fetch(url + page)).url).toContain(url + page);
  } finally {
    await product.close();
    await rm(product.dataDir, { recursive: true, force: true });
  }
});

function linesFrom(log: string): readonly string[] {
  const lines = log.split('\n');
  return lines.slice(lines.findIndex(line => line.startsWith('Stave is ready')));
}
