/** A block of a stream of server-sent events. A block without `data` only sets `id` or `retry`. */
export interface EventBlock {
  readonly id?: string;
  readonly data?: string;
  /** The pause before the client connects again, in milliseconds. */
  readonly retry?: number;
}

/** Parses server-sent events from pieces of text that end anywhere. What is not followed by an empty line is not an event. */
export class EventLines {
  private rest = '';
  private lines: string[] = [];

  /** Returns the blocks that the piece completes. */
  take(piece: string): EventBlock[] {
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop() ?? '';
    const blocks: EventBlock[] = [];
    for (const line of lines.map(text => text.replace(/\r$/, ''))) {
      if (line !== '') this.lines.push(line);
      else blocks.push(blockOf(this.lines.splice(0)));
    }
    return blocks;
  }
}

function blockOf(lines: readonly string[]): EventBlock {
  const block: { id?: string; data?: string; retry?: number } = {};
  for (const line of lines) {
    const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'id') block.id = value;
    if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    if (field === 'retry' && /^\d+$/.test(value)) block.retry = Number(value);
  }
  return block;
}
