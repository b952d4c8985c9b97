import type { ResourceDocument } from '@stave/contracts';
import { omitUndefined, type MachineState } from '@stave/domain';

/** A drain that waits is seen at the machine: its operation has no step, because other operations move the node. */
const reasonOf = ({ status, statusReason, draining }: MachineState): string | undefined =>
  status === 'CLAIMED' && draining ? 'it is drained: its node moves to another machine first' : statusReason;

/** Returns the fields of a machine. */
export function machineFields(state: MachineState): ResourceDocument {
  const { declared, labels, zone, region, conductorGroup, status, probe, claim } = state;
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
    ...omitUndefined({ statusReason: reasonOf(state), capacity: probe?.capacity, engineVersion: probe?.engineVersion }),
    nodeId: claim?.nodeId ?? null,
    clusterId: claim?.clusterId ?? null,
    createdAt,
    updatedAt,
    revision,
  };
}
