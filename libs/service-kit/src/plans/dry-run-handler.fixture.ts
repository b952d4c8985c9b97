import type { RequestMeta, ServiceReply, ServiceRequest } from '@stave/contracts';
import { RefusedError } from '@stave/contracts';
import { accept, conflict, refuse, type DomainEvent, type Plan } from '@stave/domain';
import { randomUUID } from 'node:crypto';
import type { EventStore } from '@stave/platform';
import { requestContext } from '../resources/access.js';
import { Names } from '../resources/names.js';
import { valuesOf } from './append-admission.js';
import { DryRunHandler } from './dry-run-handler.js';
import { UsedPlans } from './used-plans.js';
import { replyOf } from '../composition/reply.filter.js';
import { RequestLedger } from '../resources/request-ledger.js';
import { ResourceCommands } from '../resources/resource-commands.js';
import { ResourceModel } from '../resources/resource-model.js';

interface Thing {
  readonly id?: string;
  readonly name?: string;
  readonly size: number;
  readonly secret?: string;
  readonly operation?: { readonly planned?: object };
}

export const actor = { keyId: 'k', role: 'member', project: 'p' } as const;

const evolve = (state: Thing | undefined, { data }: DomainEvent): Thing => ({ ...state, ...(data as Thing) });

/** A DryRunHandler, with two commands on one resource type: create, and resize of a thing that exists from the start. */
export class PlanHarness {
  readonly handler: DryRunHandler;
  readonly ledger: RequestLedger;
  private readonly model: ResourceModel<Thing>;
  private readonly commands: ResourceCommands<Thing>;

  constructor(readonly store: EventStore) {
    this.handler = new DryRunHandler(new UsedPlans(store));
    this.ledger = new RequestLedger(store);
    this.model = new ResourceModel<Thing>({ category: 'thing', initial: undefined, evolve }, store);
    const model = new ResourceModel<Thing, never>({ category: 'thing', initial: { size: 0 }, evolve }, store);
    const show = ({ id = '', name = '', size }: Thing) => ({ id, name, size, ...common });
    this.handler.describe<Thing>('thing', { type: 'thing', show });
    this.commands = new ResourceCommands(this.ledger, { model, scope: () => ({ projectId: 'p' }), show });
  }

  readonly resize = async ({ meta, body }: ServiceRequest): Promise<ServiceReply> =>
    reply(
      this.commands.change(meta, {
        find: () => Promise.resolve({ id: 'x' }),
        body,
        starts: true,
        decide: ({ size }, { operationId: id }) => {
          const by = (body as { by: number }).by;
          if (size + by > 10) return refuse(conflict('too-big', 'it would be too big'));
          return by === 0
            ? accept()
            : accept({ type: 'Resized', data: { size: size + by, operation: { id, kind: 'thing.resize', total: 1 } } });
        },
      }),
    );

  readonly create = async ({ meta, body }: ServiceRequest): Promise<ServiceReply> =>
    reply(
      this.ledger.run(
        meta,
        body,
        async ({ resourceId: id, requestId }, repeat) => {
          const done = repeat ? await this.model.asAccepted(id, requestId) : undefined;
          if (done) return { resource: this.model.existing(done).state };
          const { name = `thing-${id.slice(-6)}` } = body as { name?: string };
          const context = requestContext(meta, { requestId }, 'p');
          await new Names(this.store).reserve('thing', name, { targetId: id, targetStream: `thing-${id}` }, context);
          const data = { id, name, size: 1, secret: valuesOf(meta).conceal(randomUUID()) };
          const { state } = await this.model.create(id, () => accept({ type: 'Made', data }), context);
          return { resource: state };
        },
        () => Promise.resolve(this.ledger.newIds(meta)),
      ),
    );

  plan(handler: typeof this.resize, body: object): Promise<ServiceReply<Plan>> {
    return this.ask(handler, body, { dryRun: true }) as Promise<ServiceReply<Plan>>;
  }

  async planned(handler: typeof this.resize, body: object): Promise<Plan> {
    const answer = await this.plan(handler, body);
    if (!answer.ok) throw new Error(answer.error.code);
    return answer.data;
  }

  ask(handler: typeof this.resize, body: object, more: Partial<RequestMeta> = {}): Promise<ServiceReply> {
    const query = more.dryRun ? '?dryRun=true' : more.planToken === undefined ? '' : `?planToken=${more.planToken}`;
    const meta: RequestMeta = { correlationId: 'r', actor, request: `POST /v1/things${query}`, ...more };
    const isPlanned = more.dryRun === true || more.planToken !== undefined;
    return isPlanned ? this.handler.serve({ meta, body }, handler) : handler({ meta, body });
  }

  log(): Promise<readonly { readonly type: string; readonly data: unknown; readonly metadata: object }[]> {
    return this.store.readAll({ limit: 1_000 });
  }
}

const common = { projectId: 'p', createdAt: '', updatedAt: '', revision: 1 };

async function reply(done: Promise<unknown>): Promise<ServiceReply> {
  try {
    return replyOf(await done);
  } catch (error) {
    if (error instanceof RefusedError) return { ok: false, error: error.error };
    throw error;
  }
}
