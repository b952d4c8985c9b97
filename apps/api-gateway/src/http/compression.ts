import { promisify } from 'node:util';
import { constants, brotliCompress, gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const MIN_BYTES = 1024;
const compressible = /^(?:application\/(?:[a-z.+-]*json)|text\/(?!event-stream)|image\/svg)/;
/** A page of 500 clusters shrinks to a twentieth at these levels; higher ones take several times as long for a few percent. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** Short answers, of which there are most, take less time to compress than to be handed to another thread, and need no large window. */
const SHORT_BYTES = 4096;
const short = { level: 5, windowBits: 12, memLevel: 5 };
const encoders = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, brotli),
  gzip: async (bytes: Buffer) =>
    bytes.length <= SHORT_BYTES ? gzipSync(bytes, short) : promisify(gzip)(bytes, { level: 5 }),
};
type Encoding = keyof typeof encoders;

/** Returns the encoding that the client prefers among ours; undefined where it takes none of them. */
export function encodingOf(accepted: string | undefined): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of (accepted ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase());
    const weight = Number(parameters.find(text => text.startsWith('q='))?.slice(2) ?? 1);
    if (name) weights.set(name, Number.isNaN(weight) ? 0 : weight);
  }
  const any = weights.get('*') ?? 0;
  const names: readonly Encoding[] = ['br', 'gzip'];
  const weightOf = (name: Encoding): number => weights.get(name) ?? any;
  return names.filter(name => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a))[0];
}

/** Compresses complete answers above 1 kB. Streams are sent as they are, and at once: an event must not wait for others. */
export function compressAnswers(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    const encode = encoderFor(request, reply, payload);
    if (!encode) return done(null, payload);
    encode().then(
      bytes => done(null, bytes),
      (error: Error) => done(error),
    );
  });
}

/** Returns what compresses this answer; undefined where it is sent as it is. */
function encoderFor(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): (() => Promise<Buffer>) | undefined {
  const type = String(reply.getHeader('content-type') ?? '');
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return undefined;
  if (!compressible.test(type) || reply.hasHeader('content-encoding')) return undefined;
  void reply.header('vary', 'accept-encoding');
  const encoding = encodingOf(headers['accept-encoding']);
  if (encoding === undefined || payload.length < MIN_BYTES) return undefined;
  void reply.header('content-encoding', encoding).removeHeader('content-length');
  return () => encoders[encoding](Buffer.isBuffer(payload) ? payload : Buffer.from(payload));
}
