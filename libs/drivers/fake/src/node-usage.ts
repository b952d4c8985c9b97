import type { NodeMonitor, NodeUsage } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import { chance } from './cloud/fault-plan.js';

const IDLE = { cpuCores: 0.02, memoryMb: 48 };

/** Reports the utilisation of nodes: a constant for the node itself, plus the stats of each of its containers. */
export function nodeUsage(access: CloudAccess): NodeMonitor {
  return {
    async usage(ctx) {
      const units = await new CloudSession(access, ctx, 'usage').units();
      const inside = new Map<string, string[]>();
      for (const { kind, hostUnit, infrastructureId, state } of units) {
        if (hostUnit === undefined || kind !== 'container' || state !== 'running') continue;
        const others = inside.get(hostUnit);
        if (others) others.push(infrastructureId);
        else inside.set(hostUnit, [infrastructureId]);
      }
      const usages: NodeUsage[] = [];
      for (const { kind, state, infrastructureId, resourceId: nodeId } of units)
        if (kind === 'node' && state === 'running')
          usages.push({ nodeId, ...sumOf(inside.get(infrastructureId) ?? []) });
      return usages;
    },
  };
}

function sumOf(containers: readonly string[]): Omit<NodeUsage, 'nodeId'> {
  const used = containers.map(containerUsage);
  return {
    cpuCores: used.reduce((sum, one) => sum + one.cpuCores, IDLE.cpuCores),
    memoryMb: used.reduce((sum, one) => sum + one.memoryMb, IDLE.memoryMb),
  };
}

/** Returns the utilisation of a running container: CPU cores and MiB. */
export const containerUsage = (infrastructureId: string): { readonly cpuCores: number; readonly memoryMb: number } => ({
  cpuCores: chance('cpu', infrastructureId),
  memoryMb: 8 + Math.floor(chance('memory', infrastructureId) * 56),
});
