const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/**
 * Reads the fields of one encoded protobuf message in their order. The generated classes of the client make an object for each message
 * within a message and a string for each number, which costs more than everything else that an event costs its reader.
 */
export class FieldReader {
  /** The number of the current field. */
  field = 0;
  private wireType = 0;

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  /** Goes to the next field, whose value must be read or skipped next. Returns false at the end of the message. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    return true;
  }

  /** Reads a number without a sign; beyond 2^53 it is rounded. */
  number(): number {
    if (this.wireType !== VARINT) throw new TypeError(`field ${this.field} is no number`);
    return this.varint();
  }

  /** Reads bytes, which share the memory of the message. */
  slice(): Buffer {
    const end = this.endOfValue();
    const start = this.at;
    this.at = end;
    return this.bytes.subarray(start, end);
  }

  text(): string {
    const end = this.endOfValue();
    const start = this.at;
    this.at = end;
    return this.bytes.toString('utf8', start, end);
  }

  /** Reads a message within this one. */
  message(): FieldReader {
    const end = this.endOfValue();
    const inner = new FieldReader(this.bytes, this.at, end);
    this.at = end;
    return inner;
  }

  skip(): void {
    if (this.wireType === VARINT) this.varint();
    else if (this.wireType === LENGTH_DELIMITED) this.at = this.endOfValue();
    else if (this.wireType === FIXED64) this.at += 8;
    else if (this.wireType === FIXED32) this.at += 4;
    else throw new TypeError(`field ${this.field} has the unknown wire type ${this.wireType}`);
  }

  private endOfValue(): number {
    if (this.wireType !== LENGTH_DELIMITED) throw new TypeError(`field ${this.field} has no length`);
    const end = this.varint() + this.at;
    if (end > this.end) throw new RangeError(`field ${this.field} is longer than its message`);
    return end;
  }

  private varint(): number {
    const { bytes, end } = this;
    let value = 0;
    for (let factor = 1; this.at < end; factor *= 128) {
      const byte = bytes[this.at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw new RangeError('a number is longer than its message');
  }
}
