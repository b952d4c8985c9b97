import type { NodeMonitor } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import type { FakeUnit } from './cloud/fake-unit.js';
import { chance } from './cloud/chance.js';

const IDLE = { cpuCores: 0.02, memoryMb: 48 };

/** Reports the utilisation of nodes: a constant for the node itself, plus the stats of each of its containers. */
export function nodeUsage(access: CloudAccess): NodeMonitor {
  return {
    async usage(ctx) {
      const units = await new CloudSession(access, ctx, 'usage', {}).units();
      const running = units.filter(unit => unit.state === 'running');
      const inside = byHost(running);
      return running.flatMap(node => {
        if (node.kind !== 'node') return [];
        const used = (inside.get(node.infrastructureId) ?? []).map(containerUsage);
        return {
          nodeId: node.resourceId,
          cpuCores: used.reduce((sum, one) => sum + one.cpuCores, IDLE.cpuCores),
          memoryMb: used.reduce((sum, one) => sum + one.memoryMb, IDLE.memoryMb),
        };
      });
    },
  };
}

/** Maps each host to the ids of its units. */
function byHost(units: readonly FakeUnit[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { hostUnit, infrastructureId } of units) {
    if (hostUnit === undefined) continue;
    const inside = found.get(hostUnit);
    if (inside) inside.push(infrastructureId);
    else found.set(hostUnit, [infrastructureId]);
  }
  return found;
}

/** Returns the utilisation of a running container: CPU cores and MiB. */
export const containerUsage = (infrastructureId: string): { readonly cpuCores: number; readonly memoryMb: number } => ({
  cpuCores: chance('cpu', infrastructureId),
  memoryMb: 8 + Math.floor(chance('memory', infrastructureId) * 56),
});
