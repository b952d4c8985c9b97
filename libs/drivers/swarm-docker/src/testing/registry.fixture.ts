import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { imagePath, type Caller, type EngineClient } from '@stave/docker';

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Returns the files of a tar archive by name. */
function filesIn(tar: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = parseInt(tar.toString('utf8', at + 124, at + 136), 8);
    files.set(name, tar.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

/** A registry of images in memory (OCI Distribution), open or with credentials. */
export class Registry {
  private readonly blobs = new Map<string, Buffer>();
  private readonly manifests = new Map<string, Buffer>();
  private readonly server: Server;
  /** The number of manifests that were requested, by reference `<name>:<tag>`. */
  readonly pulls = new Map<string, number>();

  constructor(private readonly credentials?: string) {
    this.server = createServer((incoming, outgoing) => this.answer(incoming, outgoing));
  }

  /** Listens on all addresses, so that nodes reach it at the address of their gateway. */
  async start(): Promise<number> {
    await once(this.server.listen(0, '0.0.0.0'), 'listening');
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  /** Adds an image that an engine has, under another name and tag. */
  async add(caller: Caller, engine: EngineClient, image: string, name: string, tag: string): Promise<void> {
    const files = filesIn(await engine.readBytes(caller, `/images/${imagePath(image)}/get`, { timeoutMs: 60_000 }));
    const [listed] = JSON.parse(String(files.get('manifest.json'))) as { Config: string; Layers: string[] }[];
    const config = files.get(listed?.Config ?? '') ?? Buffer.alloc(0);
    const layers = (listed?.Layers ?? []).map(layer => gzipSync(files.get(layer) ?? Buffer.alloc(0)));
    for (const blob of [config, ...layers]) this.blobs.set(digestOf(blob), blob);
    const entry = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
    const type = 'application/vnd.docker';
    const manifest = {
      schemaVersion: 2,
      mediaType: `${type}.distribution.manifest.v2+json`,
      config: entry(`${type}.container.image.v1+json`, config),
      layers: layers.map(layer => entry(`${type}.image.rootfs.diff.tar.gzip`, layer)),
    };
    const bytes = Buffer.from(JSON.stringify(manifest));
    this.manifests.set(`${name}:${tag}`, bytes).set(`${name}:${digestOf(bytes)}`, bytes);
  }

  private answer({ url = '', headers }: IncomingMessage, outgoing: ServerResponse): void {
    const expected = this.credentials && `Basic ${Buffer.from(this.credentials).toString('base64')}`;
    if (expected !== undefined && headers.authorization !== expected) {
      outgoing.setHeader('www-authenticate', 'Basic realm="registry"');
      return send(
        outgoing,
        401,
        Buffer.from('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}'),
      );
    }
    if (url === '/v2/') return send(outgoing, 200, Buffer.from('{}'));
    const [, name = '', kind = '', reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    const manifest = kind === 'manifests' ? this.manifests.get(`${name}:${reference}`) : undefined;
    const found = manifest ?? this.blobs.get(reference);
    if (manifest) this.pulls.set(`${name}:${reference}`, (this.pulls.get(`${name}:${reference}`) ?? 0) + 1);
    const type = manifest ? 'application/vnd.docker.distribution.manifest.v2+json' : 'application/octet-stream';
    if (!found)
      return send(outgoing, 404, Buffer.from('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}'));
    outgoing.setHeader('docker-content-digest', digestOf(found));
    send(outgoing, 200, found, type);
  }
}

function send(outgoing: ServerResponse, status: number, body: Buffer, type = 'application/json'): void {
  outgoing.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body);
}
