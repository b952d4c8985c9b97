import { machineForDriver, operationOfWork, reportMachineTask, type MachineState } from '@stave/domain';
import { operationContext, type EventContext, type TaskSource } from '@stave/service-kit';
import type { FleetProjection } from '../fleet/fleet.projection.js';

const PROBE_TIMEOUT_MS = 30_000;
const CLEAN_TIMEOUT_MS = 5 * 60_000;

/** The work of machines that conductors claim: engines are examined and cleaned. */
export function machineTasks({ machines }: FleetProjection): TaskSource<MachineState, 'machine'> {
  return {
    type: 'machine',
    model: machines,
    work: state => state.work,
    routing: (_id, { declared, cleanedBy = declared, conductorGroup }) => ({
      group: conductorGroup,
      driver: cleanedBy.driver,
      version: cleanedBy.driverVersion,
    }),
    clusterId: () => '',
    task: (kind, state) => ({ kind, spec: { ...machineForDriver(state), generation: state.generation } }),
    report: reportMachineTask,
    context: state => machineContext(state),
    timeoutMs: kind => (kind === 'machine.probe' ? PROBE_TIMEOUT_MS : CLEAN_TIMEOUT_MS),
  };
}

/** Returns the metadata of events of a machine, which belongs to no project; default: of the operation of its work. */
export function machineContext({ declared, work }: MachineState, operationId = operationOfWork(work)): EventContext {
  const { clusterId: _none, ...context } = operationContext(
    { id: declared.id, projectId: '', clusterId: '' },
    operationId,
  );
  return context;
}
