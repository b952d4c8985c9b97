import type { ContainerUsage, DriverContext, NodeMonitor, NodeUsage } from '@stave/driver-sdk';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import type { FakeUnit } from './cloud/fake-unit.js';
import { SimulatedLoad } from './cloud/simulated-load.js';

const IDLE = { cpuCores: 0.02, memoryMb: 48 };

/** Reports the utilisation of nodes: a constant for the node itself, plus the stats of each of its containers. */
export function fakeMonitor(access: CloudAccess): NodeMonitor {
  return {
    async usage(ctx) {
      const { units, now } = await new CloudSession(access, ctx, 'usage').units();
      const load = new SimulatedLoad(units, now);
      const inside = new Map<string, FakeUnit[]>();
      for (const unit of units) {
        if (unit.hostUnit === undefined || unit.kind !== 'container' || unit.state !== 'running') continue;
        const others = inside.get(unit.hostUnit);
        if (others) others.push(unit);
        else inside.set(unit.hostUnit, [unit]);
      }
      const usages: NodeUsage[] = [];
      for (const unit of units)
        if (unit.kind === 'node' && unit.state === 'running' && load.isMonitored(unit))
          usages.push(usageOf(load, unit, inside.get(unit.infrastructureId)));
      return usages;
    },
  };
}

/** Reports the utilisation of every running container whose node has a monitor. */
export async function containerUsages(access: CloudAccess, ctx: DriverContext): Promise<readonly ContainerUsage[]> {
  const { units, now } = await new CloudSession(access, ctx, 'containerUsage').units();
  const load = new SimulatedLoad(units, now);
  const running = units.filter(unit => unit.kind === 'container' && unit.state === 'running' && load.isMonitored(unit));
  return running.map(unit => ({ containerId: unit.resourceId, nodeId: unit.nodeId ?? '', ...load.usageOf(unit) }));
}

function usageOf(load: SimulatedLoad, { resourceId: nodeId }: FakeUnit, containers?: readonly FakeUnit[]): NodeUsage {
  if (!containers) return { nodeId, cpuCores: IDLE.cpuCores, memoryMb: IDLE.memoryMb };
  const used = containers.map(unit => load.usageOf(unit));
  return {
    nodeId,
    cpuCores: used.reduce((sum, one) => sum + one.cpuCores, IDLE.cpuCores),
    memoryMb: used.reduce((sum, one) => sum + one.memoryMb, IDLE.memoryMb),
  };
}
