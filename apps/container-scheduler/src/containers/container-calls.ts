import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta, type ServedCallKind } from '@stave/contracts';
import { isBuilt, omitUndefined } from '@stave/domain';
import type { ContainerRef, DriverCall, SecretReferences } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import { callConductor, MESSAGING, RingFollower, type UsageWindow } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { containerRef, secretsOf, taskRouting } from './container.tasks.js';

const CALL_TIMEOUT_MS = 10_000;
const DEFAULT_TAIL = 100;

/** Requests from conductors what only the infrastructure knows: logs and statistics. */
@Injectable()
export class ContainerCalls {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly ring: RingFollower,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  async logs(meta: RequestMeta, ref: string, tail = DEFAULT_TAIL): Promise<{ readonly logs: string }> {
    const logs = await this.call(meta, ref, (spec, secrets) => ({
      kind: 'container.logs',
      spec: { ...spec, tail, ...secrets },
    }));
    return { logs: String(logs) };
  }

  /** Resolves to the subject on which the conductor publishes the log (`LogStreamOpened`). */
  followLogs(meta: RequestMeta, ref: string, tail = DEFAULT_TAIL): Promise<unknown> {
    return this.call(meta, ref, (spec, secrets) => {
      return { kind: 'container.followLogs', spec: { ...spec, tail, ...secrets } };
    });
  }

  stats(meta: RequestMeta, ref: string): Promise<unknown> {
    return this.call(meta, ref, spec => ({ kind: 'container.stats', spec }));
  }

  /** Resolves to what the samples of the last `windowMs` show. */
  async statsOver(meta: RequestMeta, ref: string, windowMs: number): Promise<UsageWindow> {
    const { id } = await this.lookup.container(meta, ref);
    return this.projection.usages.over(id, windowMs);
  }

  private async call(
    meta: RequestMeta,
    ref: string,
    callOn: (container: ContainerRef, secrets: { readonly secrets?: SecretReferences }) => DriverCall<ServedCallKind>,
  ): Promise<unknown> {
    const { id: resourceId, state } = await this.lookup.container(meta, ref);
    const routing = taskRouting(this.projection, state);
    const container = containerRef(this.projection, state);
    if (!routing || !container || !isBuilt(state)) {
      const detail = 'the container does not run on a node now';
      throw new RefusedError({ code: 'not-placed', kind: 'conflict', detail });
    }
    return callConductor(this.ring, this.messaging, {
      resourceId,
      description: 'this container',
      routing,
      call: callOn(container, omitUndefined({ secrets: secretsOf(this.projection, state) })),
      timeoutMs: CALL_TIMEOUT_MS,
    });
  }
}
