import type { EventFilter } from '../event-store.port.js';
import type { StreamSelection } from './all-read.js';

/**
 * The names of the streams on a server that several installations share: each has a prefix of its own, which callers of
 * the adapter never see. The prefix has no dash, so a category on the server is the prefix and the category.
 */
export class StreamNames {
  constructor(private readonly prefix = '') {}

  onServer(stream: string): string {
    return this.prefix + stream;
  }

  /** Returns the name without the prefix, or undefined for a stream of the server or of another installation. */
  own(name: string): string | undefined {
    return name.startsWith('$') || !name.startsWith(this.prefix) ? undefined : name.slice(this.prefix.length);
  }

  /** Returns the streams that a filter selects; without a filter all of this installation, never system streams. */
  selection(filter?: EventFilter): StreamSelection {
    if (filter) return { prefixes: filter.streamPrefixes.map(prefix => this.onServer(prefix)) };
    return this.prefix === '' ? { regex: '^[^$]' } : { prefixes: [this.prefix] };
  }
}
