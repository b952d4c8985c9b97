const VARINT = 0;
const LENGTH_DELIMITED = 2;

/**
 * Writes an encoded protobuf message from its end to its start, so that the length of a message within it is known when it is written, and
 * nothing is copied. Fields are therefore written in reverse order.
 */
export class FieldWriter {
  private readonly target: Buffer;
  private at: number;

  /** `most`: the message has at most so many bytes. */
  constructor(most: number) {
    this.target = Buffer.allocUnsafe(most);
    this.at = most;
  }

  /** Returns what was written. */
  finish(): Buffer {
    return this.target.subarray(this.at);
  }

  /** Writes a text of so many bytes in UTF-8. */
  text(field: number, text: string, byteLength = Buffer.byteLength(text)): void {
    this.reserve(byteLength);
    this.target.write(text, this.at, 'utf8');
    this.head(field, LENGTH_DELIMITED, byteLength);
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.target.set(bytes, this.at);
    this.head(field, LENGTH_DELIMITED, bytes.length);
  }

  number(field: number, value: number): void {
    this.varint(value);
    this.varint(field * 8 + VARINT);
  }

  /** Writes a message within this one, whose fields `write` writes in reverse order. */
  message(field: number, write: () => void): void {
    const end = this.at;
    write();
    this.head(field, LENGTH_DELIMITED, end - this.at);
  }

  private head(field: number, wireType: number, length: number): void {
    this.varint(length);
    this.varint(field * 8 + wireType);
  }

  private varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
    this.reserve(size);
    let rest = value;
    for (let i = this.at; i < this.at + size; i++) {
      const isLast = i === this.at + size - 1;
      this.target[i] = (rest % 128) + (isLast ? 0 : 128);
      rest = Math.floor(rest / 128);
    }
  }

  private reserve(size: number): void {
    this.at -= size;
    if (this.at < 0) throw new RangeError('a message is longer than was reserved for it');
  }
}
