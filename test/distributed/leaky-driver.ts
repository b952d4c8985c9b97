import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

/**
 * Writes a driver directory with a variant of the fake driver that creates a join token for each cluster and leaks it
 * in steps, logs, failures and results.
 */
export async function makeLeakyDriver(directory: string, token: string): Promise<void> {
  const fake = join(repositoryRoot(), 'libs/drivers/fake');
  const manifest: unknown = JSON.parse(await readFile(join(fake, 'driver.manifest.json'), 'utf8'));
  await mkdir(directory, { recursive: true });
  const named = { ...(manifest instanceof Object ? manifest : {}), name: 'leaky' };
  await writeFile(join(directory, 'driver.manifest.json'), JSON.stringify(named));
  await writeFile(
    join(directory, 'driver.js'),
    `
const fake = require(${JSON.stringify(join(fake, 'dist/index.js'))}).default;
const { DriverError } = require(${JSON.stringify(join(repositoryRoot(), 'libs/drivers/sdk/dist/index.js'))});
const token = ${JSON.stringify(token)};
const seen = new Map();
module.exports = {
  async open(settings) {
    const driver = await fake.open(settings);
    const create = async (ctx, spec) => {
      await ctx.secrets.put('join-token', token);
      ctx.progress('join with ' + token);
      ctx.log.info({ joining: { with: token } }, 'joins with ' + token);
      const attempt = (seen.get(spec.id) ?? 0) + 1;
      seen.set(spec.id, attempt);
      if (attempt === 1) throw new DriverError('transient', 'refused: ' + token, { cause: new Error(token) });
      if (attempt === 2) throw new TypeError('cannot read ' + token);
      await new Promise(done => setTimeout(done, 700)); // long enough for the step to be shown
      return { ...(await driver.node.create(ctx, spec)), engineVersion: 'joined with ' + token };
    };
    const credentials = async () => ({ endpoint: 'fake://here', managerJoinToken: token });
    return { ...driver, node: { ...driver.node, create }, cluster: { ...driver.cluster, credentials } };
  },
};
`,
  );
}
