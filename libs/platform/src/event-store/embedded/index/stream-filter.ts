import { mixed } from './segment.js';

const BITS_PER_STREAM = 16;
const PROBES = 7;

/**
 * A Bloom filter of stream names by hash: says `false` for 999 of 1,000 streams that it does not have, 2 bytes for each that it has. An
 * append to a new stream asks the filter of each segment, and each wrong answer costs a read of the index file.
 */
export class StreamFilter {
  private readonly size: number;

  constructor(readonly bits: Uint8Array) {
    this.size = bits.length * 8;
  }

  static for(streams: number): StreamFilter {
    return new StreamFilter(new Uint8Array(Math.ceil((Math.max(1, streams) * BITS_PER_STREAM) / 8)));
  }

  add(hash: number): void {
    const step = mixed(hash) | 1;
    for (let i = 0; i < PROBES; i++) {
      const bit = this.bit(hash, step, i);
      this.bits[bit >>> 3] = (this.bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  mayHave(hash: number): boolean {
    const step = mixed(hash) | 1;
    for (let i = 0; i < PROBES; i++) {
      const bit = this.bit(hash, step, i);
      if (((this.bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }

  private bit(hash: number, step: number, i: number): number {
    return ((hash + Math.imul(i, step)) >>> 0) % this.size;
  }
}
