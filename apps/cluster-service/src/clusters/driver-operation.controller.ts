import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  callSubject,
  commandSubject,
  RefusedError,
  type OperationQuestion,
  type OperationRoute,
  type ServiceRequest,
} from '@stave/contracts';
import { omitUndefined, slotOf, type RingView } from '@stave/domain';
import { operationDefaults, type DriverManifest, type DriverOperation } from '@stave/driver-sdk';
import { operatingManifest, RingFollower, type TaskRouting } from '@stave/service-kit';
import { ClusterLookup } from './cluster.lookup.js';
import { clusterRouting } from './cluster.tasks.js';

/** Says what a path below a cluster's `driver` is. The gateway forwards the request itself. */
@Controller()
export class DriverOperationController {
  constructor(
    private readonly lookup: ClusterLookup,
    private readonly ring: RingFollower,
  ) {}

  /** Throws RefusedError: not-found, `unknown-operation`, `no-conductor`. */
  @MessagePattern(commandSubject('cluster-service', 'cluster', 'driver-operation'))
  async route({ meta, body }: ServiceRequest<OperationQuestion>): Promise<OperationRoute> {
    const { id, state } = await this.lookup.find(meta, body.id);
    const { spec, generation } = state;
    const routing = clusterRouting(spec);
    const { view } = this.ring;
    const manifest: Partial<DriverManifest> | undefined = operatingManifest(view, routing);
    if (!manifest) throw noConductor(routing);
    const found = operationAt(manifest.operations ?? [], body);
    if (!found) throw unknownOperation(routing.driver, body);
    const { operation, parameters } = found;
    const { name, role, streaming = false, deadlineSeconds, maxAnswerBytes } = { ...operationDefaults, ...operation };
    return omitUndefined({
      ...{ name, role, streaming, parameters, maxAnswerBytes, deadlineMs: deadlineSeconds * 1_000 },
      isBuilt: Boolean(state.built),
      driver: { name: routing.driver, version: routing.version },
      cluster: { id, clusterId: id, generation, options: spec.options },
      subject: subjectOf(view, routing, id),
    });
  }
}

function operationAt(operations: readonly DriverOperation[], { method, word, rest }: OperationQuestion) {
  for (const operation of operations) {
    const [, own, parameter] = /^\/([^/]+)(?:\/\{(.*)\})?$/.exec(operation.path) ?? [];
    if (operation.method !== method || own !== word || (parameter === undefined) !== (rest === undefined)) continue;
    return { operation, parameters: parameter === undefined || rest === undefined ? {} : { [parameter]: rest } };
  }
  return undefined;
}

function subjectOf(view: RingView, { group, driver, version }: TaskRouting, id: string): string | undefined {
  const key = view.keyFor(group, driver);
  return view.ownerOf(key, version, id) === undefined ? undefined : callSubject(view.tokenOf(key), slotOf(id));
}

const noConductor = ({ group, driver }: TaskRouting): RefusedError =>
  new RefusedError({
    code: 'no-conductor',
    kind: 'unavailable',
    detail: `no conductor offers ${driver} in the conductor group "${group}"`,
    retryAfterMs: 1_000,
  });

function unknownOperation(driver: string, { method, word, rest }: OperationQuestion): RefusedError {
  const path = `/${word}${rest === undefined ? '' : '/…'}`;
  const detail = `driver ${driver} has no operation ${method} ${path.slice(0, 200)}`;
  return new RefusedError({ code: 'unknown-operation', kind: 'not-found', detail });
}
