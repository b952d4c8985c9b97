import { deserialize, serialize } from 'node:v8';
import { types } from 'node:util';
import { crc32 } from 'node:zlib';

const MAGIC = Buffer.from('STAVE FOLDS 3\r\n', 'latin1');
const PIECE_HEADER_BYTES = 8;
const PER_PIECE = 500;
const JSON_MARK = '{'.charCodeAt(0);

/** A Map in the file: texts are stored with the Map; other values once in a pool, at these places, even if several Maps share them. */
interface Keyed {
  readonly keys: Texts;
  readonly places: Uint32Array;
  readonly texts?: Texts;
}

/** Texts joined to one, which is read much faster, unless one contains the separator. */
type Texts = string | readonly string[];

const SEPARATOR = '\n';
const textsOf = (list: readonly string[]): Texts =>
  list.length === 0 || list.some(text => text.includes(SEPARATOR)) ? list : list.join(SEPARATOR);
const listOf = (texts: Texts): readonly string[] => (typeof texts === 'string' ? texts.split(SEPARATOR) : texts);
const isText = (value: unknown): value is string => typeof value === 'string';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

class Outline {
  readonly pool: object[] = [];
  private readonly places = new Map<object, number>();

  of(value: unknown): unknown {
    if (!types.isMap(value)) return { plain: value };
    const members: readonly unknown[] = [...value.values()];
    const keys = textsOf(Array.from(value.keys(), String));
    if (members.every(isText)) return { keyed: { keys, ...numbered(members) } };
    if (!members.every(isObject)) return { plain: value };
    return { keyed: { keys, places: Uint32Array.from(members, member => this.place(member)) } };
  }

  private place(value: object): number {
    const known = this.places.get(value);
    if (known !== undefined) return known;
    this.places.set(value, this.pool.length);
    return this.pool.push(value) - 1;
  }
}

function numbered(members: readonly string[]): Omit<Keyed, 'keys'> {
  const places = new Map<string, number>();
  for (const text of members) if (!places.has(text)) places.set(text, places.size);
  return { texts: textsOf([...places.keys()]), places: Uint32Array.from(members, text => places.get(text) ?? 0) };
}

const NOTHING = Buffer.alloc(0);

/** Returns the contents of a file piece by piece, so that the process can do other work between them; some pieces are empty. */
export function* piecesOf(header: unknown, fields: ReadonlyMap<string, unknown>): Iterable<Buffer> {
  const outline = new Outline();
  const shapes: (readonly [path: string, shape: unknown])[] = [];
  for (const [path, value] of fields) {
    shapes.push([path, outline.of(value)]);
    yield NOTHING;
  }
  yield MAGIC;
  yield piece({ header, fields: shapes.length, pieces: Math.ceil(outline.pool.length / PER_PIECE) });
  for (const shape of shapes) yield piece(shape);
  for (let at = 0; at < outline.pool.length; at += PER_PIECE) yield piece(outline.pool.slice(at, at + PER_PIECE));
}

/** Returns whether JSON keeps the value unchanged. JSON is read twice as fast as V8's format, and fits most states. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isJson) && Object.keys(value).length === value.length;
  if (!isObject(value) || Object.prototype.toString.call(value) !== '[object Object]') return false;
  return Object.values(value).every(isJson);
}

/** The first byte is the format: `{` for JSON, anything else for V8's. */
function encoded(value: unknown): Buffer {
  return isJson(value) ? Buffer.from(`{${JSON.stringify(value)}`) : Buffer.concat([Buffer.from('v'), serialize(value)]);
}

function decoded(bytes: Buffer): unknown {
  const rest = bytes.subarray(1);
  return bytes[0] === JSON_MARK ? JSON.parse(rest.toString()) : deserialize(rest);
}

function piece(value: unknown): Buffer {
  const bytes = encoded(value);
  const head = Buffer.alloc(PIECE_HEADER_BYTES);
  head.writeUInt32BE(bytes.length, 0);
  head.writeUInt32BE(crc32(bytes), 4);
  return Buffer.concat([head, bytes]);
}

export interface ReadPieces {
  readonly header: unknown;
  /** Reads the fields; to be called when the header fits. Throws RangeError for a damaged file. */
  readonly fields: () => ReadonlyMap<string, unknown>;
}

/** Throws RangeError for another kind of file, or a damaged one. */
export function readPieces(bytes: Buffer): ReadPieces {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new RangeError('not a snapshot file');
  const cursor = { at: MAGIC.length };
  const first = take(bytes, cursor) as { header: unknown; fields: number; pieces: number };
  return {
    header: first.header,
    fields: () => {
      const shapes = Array.from({ length: first.fields }, () => take(bytes, cursor) as [string, Shape]);
      const pool: object[] = [];
      for (let i = 0; i < first.pieces; i += 1) for (const value of take(bytes, cursor) as object[]) pool.push(value);
      if (cursor.at !== bytes.length) throw new RangeError('the snapshot file is longer than its header declares');
      return new Map(shapes.map(([path, shape]) => [path, valueOf(shape, pool)]));
    },
  };
}

type Shape = { readonly plain: unknown } | { readonly keyed: Keyed };

function valueOf(shape: Shape, pool: readonly object[]): unknown {
  if ('plain' in shape) return shape.plain;
  const { keys, places, texts } = shape.keyed;
  const values = texts === undefined ? pool : listOf(texts);
  return new Map(listOf(keys).map((key, i) => [key, values[places[i] ?? -1]]));
}

function take(bytes: Buffer, cursor: { at: number }): unknown {
  const from = cursor.at + PIECE_HEADER_BYTES;
  if (from > bytes.length) throw new RangeError('the snapshot file is truncated');
  const to = from + bytes.readUInt32BE(cursor.at);
  const body = bytes.subarray(from, to);
  if (to > bytes.length || crc32(body) !== bytes.readUInt32BE(cursor.at + 4))
    throw new RangeError('the snapshot file is damaged');
  cursor.at = to;
  return decoded(body);
}
