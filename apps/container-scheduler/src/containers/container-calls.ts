import { Inject, Injectable } from '@nestjs/common';
import {
  callSubject,
  RefusedError,
  type CallRequest,
  type RequestMeta,
  type ServedCallKind,
  type ServiceReply,
} from '@stave/contracts';
import { slotOf } from '@stave/domain';
import type { ContainerRef, DriverCall } from '@stave/driver-sdk';
import { NoRespondersError, RequestTimeoutError, type Messaging } from '@stave/platform';
import { MESSAGING, RingFollower } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { containerRef, taskRouting } from './container.tasks.js';

const CALL_TIMEOUT_MS = 10_000;
const DEFAULT_TAIL = 100;

const unavailable = (detail: string): RefusedError =>
  new RefusedError({ code: 'no-conductor', kind: 'unavailable', detail, retryAfterMs: 1_000 });

/** Calls the conductor that holds a container's slot, for what only the infrastructure knows: logs and statistics. */
@Injectable()
export class ContainerCalls {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly ring: RingFollower,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  async logs(meta: RequestMeta, ref: string, tail = DEFAULT_TAIL): Promise<{ readonly logs: string }> {
    const call = (spec: ContainerRef) => ({ kind: 'container.logs', spec: { ...spec, tail } }) as const;
    return { logs: String(await this.ask(meta, ref, call)) };
  }

  /** Resolves to the subject on which the conductor publishes the log (`LogStreamOpened`). */
  followLogs(meta: RequestMeta, ref: string, tail = DEFAULT_TAIL): Promise<unknown> {
    return this.ask(meta, ref, spec => ({ kind: 'container.followLogs', spec: { ...spec, tail } }));
  }

  stats(meta: RequestMeta, ref: string): Promise<unknown> {
    return this.ask(meta, ref, spec => ({ kind: 'container.stats', spec }));
  }

  private async ask(
    meta: RequestMeta,
    ref: string,
    call: (container: ContainerRef) => DriverCall<ServedCallKind>,
  ): Promise<unknown> {
    const { id, state } = await this.lookup.container(meta, ref);
    const place = taskRouting(this.projection, state);
    const container = containerRef(this.projection, state);
    if (!place || !container || state.builtGeneration === 0)
      throw new RefusedError({
        code: 'not-placed',
        kind: 'conflict',
        detail: 'the container does not run on a node now',
      });
    const { view } = this.ring;
    const key = view.keyFor(place.group, place.driver);
    if (view.ownerOf(key, place.version, id) === undefined)
      throw unavailable(`no conductor offers ${place.driver} in the conductor group "${place.group}"`);
    const request: CallRequest = { driver: { name: place.driver, version: place.version }, ...call(container) };
    return this.send(callSubject(view.tokenOf(key), slotOf(id)), request);
  }

  private async send(subject: string, request: CallRequest): Promise<unknown> {
    try {
      const reply = (await this.messaging.request(subject, request, { timeoutMs: CALL_TIMEOUT_MS })) as ServiceReply;
      if (reply.ok) return reply.data;
      throw new RefusedError(reply.error);
    } catch (error) {
      if (error instanceof NoRespondersError) throw unavailable('the conductor of this container is not connected');
      if (error instanceof RequestTimeoutError) throw unavailable('the conductor of this container does not answer');
      throw error;
    }
  }
}
