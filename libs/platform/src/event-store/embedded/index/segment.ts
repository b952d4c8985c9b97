/** The location of an event in the log. */
export interface EventPlace {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly offset: number;
  readonly bytes: number;
  /** CRC-32 of the event's bytes. */
  readonly crc: number;
}

/** A stream name with its hash, which is computed once for all segments. */
export interface StreamKey {
  readonly name: string;
  readonly hash: number;
}

/** The events of one stream in one segment; their revisions follow each other. */
export interface StreamPart {
  readonly number: number;
  readonly firstRevision: number;
  readonly count: number;
  /** Returns the position of the `i`-th of these events. */
  positionAt(i: number): number;
}

/** The index of consecutive events of the log. */
export interface Segment {
  /** The position of the first event. */
  readonly first: number;
  readonly count: number;
  /** The part of the log with the frames of these events. */
  readonly firstOffset: number;
  readonly endOffset: number;
  find(stream: StreamKey): StreamPart | undefined;
  /** Returns the position of the event of this part with this id. */
  locate(part: StreamPart, id: Buffer): number | undefined;
  place(position: number): EventPlace;
  nameAt(position: number): string;
  bytesAt(position: number): number;
}

/** FNV-1a over UTF-16 code units, then the last step of MurmurHash3. */
export function streamKey(name: string): StreamKey {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return { name, hash: mixed(hash) };
}

export function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns the smallest power of two of at least twice `count`: hash tables are at most half full. */
export const slotsFor = (count: number): number => 2 ** Math.ceil(Math.log2(Math.max(2, count * 2)));
