import { accept } from '@stave/domain';
import type { DocumentStore, StoredDocument, EventStore } from '@stave/platform';
import { Bookkeeping } from './bookkeeping.js';
import { Projector } from './projector.js';
import type { ProjectorOptions } from './projector.options.js';
import type { ReadModelDefinition } from './read-model.js';
import { SourceLog } from './source-log.js';
import { ResourceModel } from '../resources/resource-model.js';

/** Replicas that write one read model: how often something was added to each id. */
export class Counters {
  readonly errors: unknown[] = [];
  /** How often stored documents were found to be of another log. */
  foreign = 0;
  readonly model: ResourceModel<number, never>;
  readonly log: SourceLog;
  /** Names of further read models that replicas have which start from now on, as those of a later release do. */
  also: readonly string[] = [];
  private readonly open: Projector[] = [];

  constructor(
    private readonly store: EventStore,
    readonly documents: DocumentStore,
    readonly name = 'sums',
    private readonly options: Omit<ProjectorOptions, 'onError'> = {},
    installation = 'installation-1',
  ) {
    this.log = new SourceLog(installation, store);
    this.model = new ResourceModel<number, never>({ category: 'sum', initial: 0, evolve: state => state + 1 }, store);
  }

  /** A replica; `version` and `fields` as of its release. */
  async replica(version = 1, fields: (n: number) => object = n => ({ n })): Promise<Projector> {
    const { model } = this;
    const definition = (name: string): ReadModelDefinition => ({
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
    });
    const options = {
      ...this.options,
      onError: (error: unknown) => this.errors.push(error),
      onForeign: () => (this.foreign += 1),
    };
    const projector = new Projector(
      this.documents,
      [this.name, ...this.also].map(definition),
      await Bookkeeping.open(this.documents, this.log),
      options,
    );
    this.open.push(projector);
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
      const { streamRevision: revision = -1, lastId = '' } = this.model.entry(id) ?? {};
      this.log.note({ stream: this.model.stream(id), revision, id: lastId });
      for (const projector of replicas) for (const name of [this.name, ...this.also]) projector.mark(name, id);
    }
    for (const projector of replicas) projector.advance(position);
    return position;
  }

  /** Replicas that run, in the order of their start. */
  get projectors(): readonly Projector[] {
    return [...this.open];
  }

  /** Folds what the log has of this id, as a start does. */
  async load(id: string): Promise<void> {
    await this.model.load(id);
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
