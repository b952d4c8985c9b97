import { ConfiguredNats } from './configured-nats.js';
import { freePort } from './server-process.js';

/** Starts a cluster of three NATS servers with JetStream on free ports. */
export async function startNatsCluster(): Promise<readonly ConfiguredNats[]> {
  const routes: number[] = [];
  while (routes.length < 3) {
    const port = await freePort();
    if (!routes.includes(port)) routes.push(port);
  }
  const all = routes.map(port => `nats-route://127.0.0.1:${port}`).join(', ');
  return Promise.all(
    routes.map((port, i) =>
      ConfiguredNats.start(
        `server_name: n${i}
        jetstream {}
        cluster { name: stave, listen: "127.0.0.1:${port}", routes: [${all}] }`,
      ),
    ),
  );
}
