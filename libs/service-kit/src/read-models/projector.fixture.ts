import { accept } from '@stave/domain';
import type { DocumentStore, StoredDocument, EventStore } from '@stave/platform';
import { Projector, type ProjectorOptions } from './projector.js';
import type { ReadModelDefinition } from './read-model.js';
import { ResourceModel } from '../resources/resource-model.js';

/** Replicas that write one read model: how often something was added to each id. */
export class Counters {
  readonly errors: unknown[] = [];
  readonly model: ResourceModel<number, never>;
  private readonly open: Projector[] = [];

  constructor(
    private readonly store: EventStore,
    readonly documents: DocumentStore,
    readonly name = 'sums',
    private readonly options: Omit<ProjectorOptions, 'onError'> = {},
  ) {
    this.model = new ResourceModel<number, never>({ category: 'sum', initial: 0, evolve: state => state + 1 }, store);
  }

  /** A replica; `version` and `fields` as of its release. */
  async replica(version = 1, fields: (n: number) => object = n => ({ n })): Promise<Projector> {
    const { model, name } = this;
    const definition: ReadModelDefinition = {
      name,
      version,
      indexes: ['n'],
      document: id => {
        const entry = model.entry(id);
        return entry && { _id: id, ...fields(entry.state), position: entry.position };
      },
      all: function* () {
        for (const [id, { position }] of model.all()) yield [id, position] as const;
      },
    };
    const options = { ...this.options, onError: (error: unknown) => this.errors.push(error) };
    const projector = new Projector(this.documents, [definition], options);
    this.open.push(projector);
    await projector.open();
    projector.advance(await this.store.head());
    return projector;
  }

  async leader(version?: number, fields?: (n: number) => object): Promise<Projector> {
    const projector = await this.replica(version, fields);
    projector.lead();
    return projector;
  }

  /** Appends to these streams and shows the events to the replicas. */
  async add(ids: readonly string[], ...replicas: readonly Projector[]): Promise<number> {
    let position = -1;
    for (const id of ids) {
      const added = () => accept({ type: 'Added', data: {} });
      position = (await this.model.execute(id, added, { correlationId: 'c', actor: 'a' })).position ?? position;
      for (const projector of replicas) projector.mark(this.name, id);
    }
    for (const projector of replicas) projector.advance(position);
    return position;
  }

  /** What lists of this replica have, by id. */
  async list(projector: Projector): Promise<readonly StoredDocument[]> {
    return projector.collection(this.name).find({}, { sort: [['_id', 1]] });
  }

  /** It never comes back, as after a SIGKILL: nobody waits for it. */
  lose(projector: Projector): void {
    this.open.splice(this.open.indexOf(projector), 1);
    projector.follow();
  }

  async close(): Promise<void> {
    await Promise.all(this.open.splice(0).map(projector => projector.close()));
  }
}
