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
import type { RingFollower } from '@stave/service-kit';
import type { ResourceLookup } from './resource-lookup.js';
import { containerRef, taskRouting } from './containers/container-tasks.js';
import type { SchedulerModels } from './scheduler-models.js';

const CALL_TIMEOUT_MS = 10_000;
const DEFAULT_TAIL = 100;

const unavailable = (detail: string): RefusedError =>
  new RefusedError({ code: 'no-conductor', kind: 'unavailable', detail, retryAfterMs: 1_000 });

/** Asks the conductor that holds a container's slot what only the infrastructure knows. */
export class ContainerCalls {
  constructor(
    private readonly models: SchedulerModels,
    private readonly find: ResourceLookup,
    private readonly messaging: Messaging,
    private readonly ring: RingFollower,
  ) {}

  async logs(meta: RequestMeta, ref: string, tail = DEFAULT_TAIL): Promise<{ readonly logs: string }> {
    const call = (spec: ContainerRef) => ({ kind: 'container.logs', spec: { ...spec, tail } }) as const;
    return { logs: String(await this.ask(meta, ref, call)) };
  }

  /** Answers with the subject on which the pieces of the log are available (`LogStreamOpened`). */
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
    const { id, state } = await this.find.container(meta, ref);
    const place = taskRouting(this.models, state);
    const container = containerRef(this.models, state);
    if (!place || !container || state.builtGeneration === 0)
      throw new RefusedError({ code: 'not-placed', kind: 'conflict', detail: 'the container runs nowhere now' });
    const { view } = this.ring;
    const key = view.keyFor(place.group, place.driver);
    if (view.ownerOf(key, place.version, id) === undefined)
      throw unavailable(`no conductor serves ${place.driver} in group "${place.group}"`);
    const request: CallRequest = { driver: { name: place.driver, version: place.version }, ...call(container) };
    return this.send(callSubject(view.tokenOf(key), slotOf(id)), request);
  }

  private async send(subject: string, request: CallRequest): Promise<unknown> {
    try {
      const reply = (await this.messaging.request(subject, request, { timeoutMs: CALL_TIMEOUT_MS })) as ServiceReply;
      if (reply.ok) return reply.data;
      throw new RefusedError(reply.error);
    } catch (error) {
      if (error instanceof NoRespondersError) throw unavailable('the conductor of this container does not listen');
      if (error instanceof RequestTimeoutError) throw unavailable('the conductor of this container does not answer');
      throw error;
    }
  }
}
