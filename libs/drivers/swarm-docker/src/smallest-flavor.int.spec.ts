import { join } from 'node:path';
import { loadManifest } from '@stave/driver-sdk';
import { clusterSpec, containerSpec, describeOnEngine, nodeSpec } from './testing/real-engine.fixture.js';

describeOnEngine('The minimum flavor of the manifest', engine => {
  it('the minimum flavor suffices for a manager, a worker and a container', async () => {
    const { driver, ctx } = engine();
    const { minimumFlavor } = await loadManifest(join(__dirname, '..'));
    const flavor = { cpus: 0.5, memoryMb: minimumFlavor?.memoryMb ?? 0 };
    await driver.cluster.create(ctx, clusterSpec());
    await driver.node.create(ctx, nodeSpec('smallest-m', { role: 'manager', flavor }));
    const { capacity } = await driver.node.create(ctx, nodeSpec('smallest-w', { flavor }));
    expect(capacity.memoryMb).toBeGreaterThan(0);
    const resources = { cpus: 0.1, memoryMb: capacity.memoryMb };
    await driver.containers?.create(ctx, containerSpec('small', 'smallest-w', { resources }));
    const units = await driver.list(ctx);
    expect(units.map(({ kind, state, containersUnknown }) => [kind, state, containersUnknown])).toEqual([
      ['cluster', 'running', undefined],
      ['node', 'running', undefined],
      ['node', 'running', undefined],
      ['container', 'running', undefined],
    ]);
  });
});
