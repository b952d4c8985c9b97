import { isDeepStrictEqual } from 'node:util';
import { commandSubject, type Page, type ServiceReply } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import { Process } from '../kernel/process.js';
import { Violation } from '../kernel/simulator.js';
import { SharedDocuments } from '../ports/documents.js';
import { Elections } from '../ports/elections.js';
import { Broker } from '../ports/messaging.js';
import { messagingOf, type Outside } from '../processes/ports.js';
import { SERVICES, serviceProcess } from '../processes/services.js';

const resources = {
  'cluster-service': ['cluster', 'operation'],
  'nodegroup-service': ['node-group', 'node', 'operation'],
  'container-scheduler': ['container-profile', 'container', 'operation'],
} as const;

/** Lists are answered within this time, also by a second or third request. */
const LISTED_AFTER_MS = 12_000;
const REBUILT_AFTER_MS = 4_000;
/** The leading replica verifies its read models within this time. */
const VERIFIED_AFTER_MS = 12_000;

/**
 * Checks that the read models equal a replay: fresh services fold the same log into empty document stores, must return
 * the same lists, and must append nothing. Throws Violation.
 */
export async function checkReplay(outside: Outside): Promise<void> {
  const { sim, log } = outside;
  await sim.runUntil(sim.now + VERIFIED_AFTER_MS);
  const shown = await allLists(outside);
  const { head } = log;
  const fresh: Outside = { ...outside, broker: new Broker(), elections: new Elections(sim) };
  const replicas = SERVICES.map(service => serviceProcess(fresh, service, `fresh ${service}`, new SharedDocuments()));
  for (const process of replicas) sim.after(0, () => process.start());
  await sim.runUntil(sim.now + REBUILT_AFTER_MS);
  const replayed = await allLists(fresh);
  for (const process of replicas) process.kill();
  for (const [subject, page] of shown)
    if (!isDeepStrictEqual(page, replayed.get(subject)))
      throw new Violation('read-models-differ', `${subject}: ${different(page, replayed.get(subject))}`);
  const [late] = log.events.slice(head + 1).filter(({ stream }) => stream !== 'conductorRing');
  if (late) throw new Violation('replay-acts', `${late.type} in ${late.stream} of a settled system`);
}

/** Returns the documents of all lists by subject. */
async function allLists(outside: Outside): Promise<ReadonlyMap<string, object>> {
  const { sim } = outside;
  const client: Process = new Process('reader', sim, async () => undefined);
  client.start();
  const messaging = messagingOf(outside, client);
  const subjects = SERVICES.flatMap(service => resources[service].map(each => commandSubject(service, each, 'list')));
  const lists = new Map<string, object>();
  for (const subject of subjects)
    void list(messaging, subject, outside.log.head).then(items => lists.set(subject, items));
  await sim.runUntil(sim.now + LISTED_AFTER_MS);
  const missing = subjects.find(subject => !lists.has(subject));
  if (missing !== undefined) throw new Violation('read-models-missing', missing);
  return lists;
}

async function list(messaging: Messaging, subject: string, minPosition: number): Promise<object> {
  const meta = { correlationId: 'replay', actor: { keyId: 'reader', role: 'admin', project: null }, minPosition };
  const request = { meta, body: { limit: 500, filter: {} } };
  const answer = await messaging.request(subject, request, { timeoutMs: 3_500 }).catch(() => undefined);
  const reply = answer as ServiceReply<Page> | undefined;
  if (!reply?.ok) return list(messaging, subject, minPosition);
  return reply.data.items.map(({ utilisation: _sampled, ...document }) => document);
}

function different(one: object, other: object | undefined): string {
  return `${JSON.stringify(one)?.slice(0, 600)} but a replay shows ${JSON.stringify(other)?.slice(0, 600)}`;
}
