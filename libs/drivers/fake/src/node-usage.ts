import type { NodeMonitor } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import { chance } from './cloud/chance.js';

const IDLE = { cpuCores: 0.02, memoryMb: 48 };

/** What a node uses depends on nothing but its units: a little for itself, and the same for each container as its stats say. */
export function nodeUsage(access: CloudAccess): NodeMonitor {
  return {
    async usage(ctx) {
      const units = await new CloudSession(access, ctx, 'usage', {}).units();
      const nodes = units.filter(unit => unit.kind === 'node' && unit.state === 'running');
      return nodes.map(node => {
        const inside = units.filter(unit => unit.hostUnit === node.infrastructureId && unit.state === 'running');
        const used = inside.map(({ infrastructureId }) => containerUsage(infrastructureId));
        return {
          nodeId: node.resourceId,
          cpuCores: used.reduce((sum, one) => sum + one.cpuCores, IDLE.cpuCores),
          memoryMb: used.reduce((sum, one) => sum + one.memoryMb, IDLE.memoryMb),
        };
      });
    },
  };
}

/** Of a container that runs. */
export const containerUsage = (infrastructureId: string): { readonly cpuCores: number; readonly memoryMb: number } => ({
  cpuCores: chance('cpu', infrastructureId),
  memoryMb: 8 + Math.floor(chance('memory', infrastructureId) * 56),
});
