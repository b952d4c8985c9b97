import type { RecordedEvent } from '@stave/platform';
import type { AcknowledgedWrite } from './write.js';

/** The events by which a client creates a resource. */
const creations = new Set(['ClusterCreated', 'ClusterTemplateCreated', 'ContainerProfileCreated']);

/**
 * Returns what is wrong in a complete log, in full sentences; nothing when every acknowledged write is in it exactly once, no other write is, and
 * every operation has ended. All writes must have been acknowledged by then.
 */
export function checkWrites(events: readonly RecordedEvent[], writes: readonly AcknowledgedWrite[]): readonly string[] {
  const byKey = groupedBy(events, ({ metadata }) => metadata.idempotencyKey);
  const requests = groupedBy(
    events.filter(({ type }) => type === 'RequestAccepted'),
    event => textOf(event, 'requestId'),
  );
  return [
    ...writes.flatMap(write => wrongEffect(write, byKey.get(write.key) ?? [], requests)),
    ...(requests.size === writes.length
      ? []
      : [`${requests.size} requests were accepted, ${writes.length} were acknowledged`]),
    ...unrequested(events, writes),
    ...doubledGroups(events),
    ...operationsLeft(events),
  ];
}

function wrongEffect(
  { key, effect, resourceId }: AcknowledgedWrite,
  own: readonly RecordedEvent[],
  requests: ReadonlyMap<string, readonly RecordedEvent[]>,
): readonly string[] {
  const found = own.filter(({ type }) => type === effect.type);
  const [event] = found;
  if (event === undefined) return [`${key} was acknowledged and is lost: the log has no ${effect.type} of it`];
  const wrong: string[] = [];
  if (found.length > 1) wrong.push(`${key} is ${found.length} times in the log`);
  const stream = `${effect.category}-${resourceId}`;
  if (event.stream !== stream) wrong.push(`${key} is in ${event.stream} and was acknowledged for ${stream}`);
  if (!contains(event.data, effect.data)) wrong.push(`${key} has other contents: ${JSON.stringify(event.data)}`);
  const accepted = requests.get(event.metadata.causationId ?? '') ?? [];
  if (accepted.length !== 1) wrong.push(`${key} has ${accepted.length} accepted requests`);
  return wrong;
}

function unrequested(events: readonly RecordedEvent[], writes: readonly AcknowledgedWrite[]): readonly string[] {
  const created = new Set(writes.filter(({ kind }) => kind === 'create').map(({ resourceId }) => resourceId));
  return events
    .filter(({ type, stream }) => creations.has(type) && !created.has(stream.slice(stream.indexOf('-') + 1)))
    .map(({ stream }) => `nobody requested ${stream}`);
}

function doubledGroups(events: readonly RecordedEvent[]): readonly string[] {
  const groups = events.filter(({ type }) => type === 'NodeGroupCreated');
  const names = groupedBy(groups, event => `${textOf(event, 'name')} of cluster ${textOf(event, 'clusterId')}`);
  return [...names].flatMap(([name, { length }]) => (length === 1 ? [] : [`${name} was created ${length} times`]));
}

function operationsLeft(events: readonly RecordedEvent[]): readonly string[] {
  const ends = groupedBy(
    events.filter(({ type }) => type === 'OperationEnded'),
    event => textOf(event, 'operationId'),
  );
  const started = events.flatMap(({ data }) => operationIn(data));
  return started.flatMap(id => {
    const times = ends.get(id)?.length ?? 0;
    return times === 1 ? [] : [`operation ${id} ended ${times} times`];
  });
}

function operationIn(data: unknown): readonly string[] {
  const operation = isObject(data) ? data['operation'] : undefined;
  return isObject(operation) ? [String(operation['id'])] : [];
}

function textOf({ data }: RecordedEvent, member: string): string {
  const value = isObject(data) ? data[member] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Returns whether `found` has everything that is in `wanted`; arrays have the same length. */
export function contains(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length) return false;
    return wanted.every((item, i) => contains(found[i], item));
  }
  if (!isObject(wanted)) return Object.is(found, wanted);
  return isObject(found) && Object.entries(wanted).every(([name, value]) => contains(found[name], value));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
