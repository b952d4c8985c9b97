import type { EventStore } from '../event-store/event-store.port.js';

/** The CloudEvents source `/stave/<installation>`; the id is in the first event of the stream `installation`. */
export class EventSource {
  private known: string | undefined;

  constructor(private readonly eventStore: EventStore) {}

  get current(): string {
    return this.known ?? '/stave';
  }

  /** Reads the id of the installation, and waits until it exists. */
  async resolve(): Promise<string> {
    if (this.known !== undefined) return this.known;
    const [first] = await this.eventStore.readStream('installation', { limit: 1 });
    const id = idIn(first?.data);
    if (id !== undefined) this.known = `/stave/${id}`;
    return this.current;
  }
}

function idIn(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const id: unknown = 'id' in data ? data.id : 'installation' in data ? data.installation : undefined;
  return typeof id === 'string' ? id : undefined;
}
