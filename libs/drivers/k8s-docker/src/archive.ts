const block = 512;

/** An entry of an archive: a file with its permissions, or a symbolic link. */
export type ArchiveEntry =
  | { readonly path: string; readonly content: string; readonly mode: number }
  | { readonly path: string; readonly target: string };

/** Returns a tar archive (ustar) of entries that belong to root. Paths are absolute, of at most 100 bytes without the first slash. */
export function tarOf(entries: readonly ArchiveEntry[]): Buffer {
  const parts = entries.flatMap(entry => {
    const content = Buffer.from('content' in entry ? entry.content : '');
    const padding = Buffer.alloc((block - (content.length % block)) % block);
    return [header(entry, content.length), content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header(entry: ArchiveEntry, size: number): Buffer {
  const bytes = Buffer.alloc(block);
  const name = entry.path.replace(/^\//, '');
  const link = 'target' in entry ? entry.target : '';
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(link) > 100) throw new RangeError(`${name} is too long`);
  bytes.write(name, 0);
  writeOctal(bytes, 'mode' in entry ? entry.mode : 0o777, 100, 8);
  writeOctal(bytes, 0, 108, 8);
  writeOctal(bytes, 0, 116, 8);
  writeOctal(bytes, size, 124, 12);
  writeOctal(bytes, 0, 136, 12);
  bytes.write('target' in entry ? '2' : '0', 156);
  bytes.write(link, 157);
  bytes.write('ustar\u000000', 257, 'latin1');
  bytes.fill(' ', 148, 156);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

function writeOctal(bytes: Buffer, value: number, at: number, length: number): void {
  bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
}

/** Returns the content of the first file in a tar archive; undefined when there is none. */
export function fileOf(archive: Buffer): string | undefined {
  for (let at = 0; at + block <= archive.length && archive[at] !== 0;) {
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 136), 8);
    const type = archive.toString('latin1', at + 156, at + 157);
    const start = at + block;
    if (type === '0' || type === '\0') return archive.toString('utf8', start, start + size);
    at = start + Math.ceil(size / block) * block;
  }
  return undefined;
}
