import { createClusterService } from '@stave/cluster-service';
import { createContainerScheduler } from '@stave/container-scheduler';
import { createNodeGroupService } from '@stave/nodegroup-service';
import type { RingUser } from '@stave/service-kit';
import { Process } from '../kernel/process.js';
import type { SharedDocuments } from '../ports/documents.js';
import { servicePorts, type Outside } from './ports.js';

export const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler'] as const;
export type Service = (typeof SERVICES)[number];

const starts = {
  'cluster-service': createClusterService,
  'nodegroup-service': createNodeGroupService,
  'container-scheduler': createContainerScheduler,
};

/** Returns a replica of a service: the product's composition on simulated ports. */
export function serviceProcess(
  outside: Outside,
  service: Service,
  name: string,
  documents: SharedDocuments,
  ringUser?: RingUser,
): Process {
  const process: Process = new Process(name, outside.sim, () =>
    starts[service]({ ...servicePorts(outside, process, documents), ...(ringUser && { ringUser }) }),
  );
  return process;
}
