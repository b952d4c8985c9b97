import { ID_BYTES } from '../event.codec.js';

const FIRST_SLOTS = 2048;

/** Returns 32 bits that depend on all bytes of the id. */
export function idHash(bytes: Buffer, at: number): number {
  const mixed =
    Math.imul(bytes.readUInt32LE(at), 0x9e3779b1) ^
    Math.imul(bytes.readUInt32LE(at + 4), 0x85ebca6b) ^
    Math.imul(bytes.readUInt32LE(at + 8), 0xc2b2ae35) ^
    Math.imul(bytes.readUInt32LE(at + 12), 0x27d4eb2f);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
}

/**
 * Finds positions by event id: an open-addressing hash table (linear probing, at most half full) over the ids of 16
 * bytes. A million events take about 24 MB and no strings.
 */
export class IdTable {
  private ids = Buffer.alloc((FIRST_SLOTS / 2) * ID_BYTES);
  private slots = new Uint32Array(FIRST_SLOTS);
  private count = 0;

  /** Adds the id of the next position, counted from 0. */
  add(id: Buffer): void {
    if (this.count * 2 >= this.slots.length) this.grow();
    id.copy(this.ids, this.count * ID_BYTES, 0, ID_BYTES);
    this.insert(this.count);
    this.count++;
  }

  /** Returns the first position with this id for which `accept` holds. */
  find(id: Buffer, accept: (position: number) => boolean): number | undefined {
    for (let slot = this.slotOf(id, 0); ; slot = this.next(slot)) {
      const entry = this.slots[slot] ?? 0;
      if (entry === 0) return undefined;
      const at = (entry - 1) * ID_BYTES;
      if (this.ids.compare(id, 0, ID_BYTES, at, at + ID_BYTES) === 0 && accept(entry - 1)) return entry - 1;
    }
  }

  /** Copies all ids in the order of their positions. */
  copyAll(to: Buffer, at: number): void {
    this.ids.copy(to, at, 0, this.count * ID_BYTES);
  }

  hashOf(position: number): number {
    return idHash(this.ids, position * ID_BYTES);
  }

  private insert(position: number): void {
    let slot = this.slotOf(this.ids, position * ID_BYTES);
    while (this.slots[slot] !== 0) slot = this.next(slot);
    this.slots[slot] = position + 1;
  }

  private grow(): void {
    const ids = Buffer.alloc(this.ids.length * 2);
    this.ids.copy(ids);
    this.ids = ids;
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let position = 0; position < this.count; position++) this.insert(position);
  }

  private slotOf(bytes: Buffer, at: number): number {
    return idHash(bytes, at) >>> (32 - Math.log2(this.slots.length));
  }

  private next(slot: number): number {
    return (slot + 1) & (this.slots.length - 1);
  }
}
