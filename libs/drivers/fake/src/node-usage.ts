import type { NodeMonitor } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import { chance } from './cloud/fault-plan.js';

const IDLE = { cpuCores: 0.02, memoryMb: 48 };

/** Reports the utilisation of nodes: a constant for the node itself, plus the stats of each of its containers. */
export function nodeUsage(access: CloudAccess): NodeMonitor {
  return {
    async usage(ctx) {
      const units = await new CloudSession(access, ctx, 'usage').units();
      const running = units.filter(unit => unit.state === 'running');
      const inside = new Map<string, string[]>(running.map(unit => [unit.infrastructureId, []]));
      for (const { hostUnit = '', infrastructureId } of running) inside.get(hostUnit)?.push(infrastructureId);
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

/** Returns the utilisation of a running container: CPU cores and MiB. */
export const containerUsage = (infrastructureId: string): { readonly cpuCores: number; readonly memoryMb: number } => ({
  cpuCores: chance('cpu', infrastructureId),
  memoryMb: 8 + Math.floor(chance('memory', infrastructureId) * 56),
});
