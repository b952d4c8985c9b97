import { cancelMachineOperation, type MachineState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { machineFields } from './machine.document.js';
import { MachineNames } from './machine-names.js';
import { MachineReconciler } from './machine.reconciler.js';
import { machineTasks } from './machine.tasks.js';

/** Machines belong to the installation and to no project. */
const NO_PROJECT = '';

export const machineResource = defineResource({
  name: 'machine',
  description: 'the machine',
  projection: FleetProjection,
  model: ({ machines }) => machines,
  scope: (_state: MachineState) => ({ projectId: NO_PROJECT }),
  fields: machineFields,
  changesInClosedProjects: true,
  readModel: {
    name: 'machines',
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['status', 'zone', 'nodeId', 'clusterId', LABEL_PAIRS],
  },
  history: { snapshots: ({ machines }) => [machines] },
  inject: [MachineNames, MachineReconciler, FleetLookup],
  connect: (projection, names: MachineNames, reconciler: MachineReconciler, lookup: FleetLookup) => ({
    find: (meta, ref) => names.find(meta, ref),
    references: {
      clusterId: (meta, ref) => lookup.cluster(meta, ref),
      nodeId: (meta, ref) => lookup.node(meta, ref),
    },
    // a machine is no unit: what a node leaves on one is a unit of that node
    tasks: { source: machineTasks(projection), classify: () => Promise.resolve('live' as const), groupsOf: () => [] },
    reconcile: {
      reconcile: id => reconciler.reconcile(id),
      concurrency: 16,
      isUnsettled: (_id, state) => reconciler.isUnsettled(state),
    },
  }),
  cancel: cancelMachineOperation,
});
