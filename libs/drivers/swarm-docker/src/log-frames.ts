const headerBytes = 8;

/**
 * Text of a log without a terminal: frames of a header (stream number, three zero bytes, big-endian length) and that many bytes.
 * Format: Docker Engine API, "Attach to a container". Standard output and error stay in the order in which they came; an
 * incomplete last frame gives what is there of it.
 */
export function demultiplex(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at + headerBytes <= bytes.length;) {
    const end = at + headerBytes + bytes.readUInt32BE(at + 4);
    parts.push(bytes.subarray(at + headerBytes, end));
    at = end;
  }
  return Buffer.concat(parts).toString('utf8');
}
