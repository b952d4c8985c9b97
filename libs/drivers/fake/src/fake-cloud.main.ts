import { serveFakeCloud } from './http/serve-fake-cloud.js';

/** Implements `npm run fake-cloud`: HOST (127.0.0.1), PORT (8790), DATA_DIR (./data). Stops at SIGTERM and SIGINT. */
async function main(): Promise<void> {
  const { env } = process;
  const dataDir = env['DATA_DIR'] ?? 'data';
  const server = await serveFakeCloud({ host: env['HOST'] ?? '127.0.0.1', port: Number(env['PORT'] ?? 8790), dataDir });
  console.log(JSON.stringify({ msg: 'the fake cloud is listening', url: server.url, dataDir }));
  const stop = () => void server.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(isTaken ? `${error.message}: choose another port with PORT` : error);
  process.exit(1);
});
