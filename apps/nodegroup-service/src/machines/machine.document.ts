import type { ResourceDocument } from '@stave/contracts';
import { omitUndefined, type MachineState } from '@stave/domain';

/** Returns the fields of a machine. */
export function machineFields(state: MachineState): ResourceDocument {
  const { declared, labels, zone, region, conductorGroup, status, statusReason, probe, claim } = state;
  const { createdAt, updatedAt, revision } = state;
  const { id, name, engine } = declared;
  return {
    id,
    name,
    projectId: null,
    engine,
    labels,
    zone,
    region,
    conductorGroup,
    status,
    ...omitUndefined({ statusReason, capacity: probe?.capacity, engineVersion: probe?.engineVersion }),
    nodeId: claim?.nodeId ?? null,
    clusterId: claim?.clusterId ?? null,
    createdAt,
    updatedAt,
    revision,
  };
}
