import { PUBLISHED_STREAM, type CloudEvent } from '@stave/platform';
import { connect, type JsMsg } from 'nats';

/** `npm run events:follow -- [nats://host:port] [subject]` prints stored and new published events until Ctrl-C. */
async function main([servers = 'nats://127.0.0.1:4222', filterSubjects = 'stave.evt.>']: string[]): Promise<void> {
  const connection = await connect({ servers });
  const consumer = await connection.jetstream().consumers.get(PUBLISHED_STREAM, { filterSubjects });
  const messages = await consumer.consume();
  process.once('SIGINT', () => messages.stop());
  process.once('SIGTERM', () => messages.stop());
  for await (const message of messages) console.log(line(message));
  await connection.close();
}

function line(message: JsMsg): string {
  const { position, time, type, subject, data } = message.json<CloudEvent>();
  return `${position.padStart(8)}  ${time}  ${type}  ${subject}  ${JSON.stringify(data)}`.slice(0, 240);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
