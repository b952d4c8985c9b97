import { FastifyAdapter } from '@nestjs/platform-fastify';
import { connect } from 'nats';

/** What the process does, and where. */
export interface BareHop {
  /** `answer` answers requests on NATS; `route` is a Fastify route that passes each of its own on to it. */
  readonly role: 'answer' | 'route';
  readonly natsUrl: string;
  /** The bytes of an answer. */
  readonly bytes: number;
}

const SUBJECT = 'bench.bare-hop';
/** About as much as a gateway sends to a service for a read. */
const question = JSON.stringify({
  meta: { correlationId: 'x'.repeat(36), actor: 'y'.repeat(100) },
  body: 'z'.repeat(40),
});

async function start({ role, natsUrl, bytes }: BareHop): Promise<string> {
  const nats = await connect({ servers: natsUrl });
  if (role === 'answer') {
    const text = JSON.stringify('x'.repeat(Math.max(0, bytes - 2)));
    nats.subscribe(SUBJECT, { callback: (_error, message) => void message.respond(text) });
    await nats.flush();
    return '';
  }
  const fastify = new FastifyAdapter().getInstance();
  fastify.get('/', async (_request, reply) => {
    const answer = await nats.request(SUBJECT, question, { timeout: 10_000 });
    return reply.header('content-type', 'application/json').send(answer.string());
  });
  return fastify.listen({ port: 0, host: '127.0.0.1' });
}

process.on('message', (hop: BareHop) => {
  start(hop).then(
    url => process.send?.(url),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
