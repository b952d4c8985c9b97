import type { ResourceDocument } from '@stave/contracts';
import { omitUndefined, type NetworkState } from '@stave/domain';

/** Returns the fields of a network. */
export function networkFields(state: NetworkState): ResourceDocument {
  const { declared, labels, autoRemove, status, statusReason, createdAt, updatedAt, revision } = state;
  const { id, name, projectId, clusterId, driver, scope, options, subnet, gateway } = declared;
  return {
    id,
    name,
    projectId,
    clusterId,
    driver,
    scope,
    options,
    subnet,
    gateway: gateway ?? null,
    labels,
    autoRemove,
    status,
    ...omitUndefined({ statusReason }),
    createdAt,
    updatedAt,
    revision,
  };
}
