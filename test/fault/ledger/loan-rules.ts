import { factOf, type HistoryEvent } from '../history.js';

interface Attached {
  readonly network?: { readonly id: string; readonly scope: string; readonly address?: string };
  readonly volumes?: readonly { readonly id: string; readonly scope: string; readonly exclusive?: true }[];
  readonly ports?: readonly { readonly hostPort: number; readonly protocol: string }[];
}

interface Loan {
  readonly containerId: string;
  readonly nodeId: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly attached?: Attached;
}

/** What one cluster has lent, as its own events show it. */
interface Ledger {
  readonly loans: Map<string, Loan>;
  /** Nodes, networks and volumes that are not lent any more. */
  readonly closed: Set<string>;
  /** The node with the data of a volume of node scope. */
  readonly bindings: Map<string, string>;
}

export interface LoanReport {
  /** What was lent twice, in full sentences. */
  readonly broken: readonly string[];
  /** The reservations that were made, and how many of them took more than room. */
  readonly reserved: Readonly<Record<'containers' | 'ports' | 'addresses' | 'exclusiveVolumes', number>>;
  /** The node of each container that holds a reservation in the end. */
  readonly held: ReadonlyMap<string, string>;
}

/**
 * Replays the ledger of each cluster from its events, without the code of the product, and returns where room, a host port, an address or an
 * exclusive volume was lent twice, or something was lent on a closed node.
 */
export function checkLoans(events: readonly HistoryEvent[]): LoanReport {
  const capacities = new Map<string, { readonly cpus: number; readonly memoryMb: number }>();
  const ledgers = new Map<string, Ledger>();
  const reserved = { containers: 0, ports: 0, addresses: 0, exclusiveVolumes: 0 };
  const broken: string[] = [];
  for (const event of events) {
    const [category = '', id = ''] = event.subject.split('/');
    if (category === 'node') noteCapacity(capacities, id, event);
    if (category !== 'placement') continue;
    const ledger = ledgers.get(id) ?? { loans: new Map(), closed: new Set(), bindings: new Map() };
    ledgers.set(id, ledger);
    for (const loan of newLoans(event, ledger)) {
      const wrong = [...takenTwice(loan, ledger), ...beyondRoom(loan, ledger, capacities.get(loan.nodeId))];
      broken.push(...wrong.map(text => `${event.position} ${loan.containerId} on ${loan.nodeId}: ${text}`));
      lend(loan, ledger);
      if (factOf(event) === 'placementsReserved') count(reserved, loan);
    }
    apply(event, ledger);
  }
  const held = [...ledgers.values()].flatMap(({ loans }) =>
    [...loans.values()].map(({ containerId, nodeId }) => [containerId, nodeId] as const),
  );
  return { broken, reserved, held: new Map(held) };
}

function noteCapacity(
  known: Map<string, { cpus: number; memoryMb: number }>,
  id: string,
  { data }: HistoryEvent,
): void {
  const { capacity }: { capacity?: { cpus: number; memoryMb: number } } = objectIn(data, 'result');
  if (capacity) known.set(id, capacity);
}

/** Returns the loans that an event makes or changes. A changed one is taken back first. */
function newLoans(event: HistoryEvent, { loans }: Ledger): readonly Loan[] {
  if (factOf(event) === 'placementsReserved') return listIn<Loan>(event, 'placements');
  if (factOf(event) !== 'resized') return [];
  const { containerId, cpus, memoryMb } = event.data;
  const before = loans.get(String(containerId));
  loans.delete(String(containerId));
  return before ? [{ ...before, cpus: Number(cpus), memoryMb: Number(memoryMb) }] : [];
}

function takenTwice(loan: Loan, { loans, closed, bindings }: Ledger): readonly string[] {
  const { containerId, nodeId, attached = {} } = loan;
  const wrong: string[] = [];
  const before = loans.get(containerId);
  if (before) wrong.push(`it already holds a reservation on ${before.nodeId}`);
  const parts = [nodeId, ...[attached.network ?? [], attached.volumes ?? []].flat().map(({ id }) => id)];
  if (!before) wrong.push(...parts.filter(id => closed.has(id)).map(id => `${id} is closed`));
  for (const other of loans.values()) {
    const both = otherwiseExclusive(loan, other);
    if (both !== undefined) wrong.push(`${both} is lent to ${other.containerId} on ${other.nodeId}`);
  }
  for (const { id, scope } of attached.volumes ?? []) {
    const bound = bindings.get(id);
    if (scope === 'node' && bound !== undefined && bound !== nodeId) wrong.push(`volume ${id} is bound to ${bound}`);
  }
  return wrong;
}

/** Returns what two loans have that only one of them may have. */
function otherwiseExclusive(a: Loan, b: Loan): string | undefined {
  if (a.containerId === b.containerId) return undefined;
  const sameNode = a.nodeId === b.nodeId;
  const [port] = commonPorts(a, b);
  if (sameNode && port !== undefined) return `port ${port}`;
  const [network, other] = [a.attached?.network, b.attached?.network];
  const shared = network?.id === other?.id && (network?.scope === 'cluster' || sameNode);
  if (shared && network?.address !== undefined && network.address === other?.address)
    return `address ${network.address}`;
  const held = new Map((b.attached?.volumes ?? []).map(volume => [volume.id, volume]));
  const volume = (a.attached?.volumes ?? []).find(v => held.has(v.id) && (v.exclusive ?? held.get(v.id)?.exclusive));
  return volume && !sameNode ? `exclusive volume ${volume.id}` : undefined;
}

function commonPorts(a: Loan, b: Loan): readonly string[] {
  const keys = ({ attached }: Loan) =>
    (attached?.ports ?? []).map(({ hostPort, protocol }) => `${hostPort}/${protocol}`);
  const held = new Set(keys(b));
  return keys(a).filter(key => held.has(key));
}

function beyondRoom(loan: Loan, { loans }: Ledger, capacity?: Pick<Loan, 'cpus' | 'memoryMb'>): readonly string[] {
  if (!capacity) return ['nothing is known of the node'];
  const own = [
    loan,
    ...[...loans.values()].filter(l => l.nodeId === loan.nodeId && l.containerId !== loan.containerId),
  ];
  const cpus = own.reduce((sum, l) => sum + Math.round(l.cpus * 1000), 0) / 1000;
  const memoryMb = own.reduce((sum, l) => sum + l.memoryMb, 0);
  return [
    ...(cpus > capacity.cpus ? [`${cpus} of ${capacity.cpus} CPUs are lent`] : []),
    ...(memoryMb > capacity.memoryMb ? [`${memoryMb} of ${capacity.memoryMb} MB are lent`] : []),
  ];
}

function lend(loan: Loan, { loans, bindings }: Ledger): void {
  loans.set(loan.containerId, loan);
  for (const { id, scope } of loan.attached?.volumes ?? [])
    if (scope === 'node' && !bindings.has(id)) bindings.set(id, loan.nodeId);
}

function apply(event: HistoryEvent, { loans, closed, bindings }: Ledger): void {
  const { nodeId, volumeId, attachmentId } = event.data;
  switch (factOf(event)) {
    case 'placementsReleased':
      for (const id of listIn<string>(event, 'containerIds')) loans.delete(id);
      return;
    case 'nodeClosed':
      return void closed.add(String(nodeId));
    case 'nodeOpened':
      return void closed.delete(String(nodeId));
    case 'attachmentClosed':
      return void closed.add(String(attachmentId));
    case 'attachmentRemoved':
      return void bindings.delete(String(attachmentId));
    case 'volumeUnbound':
      return void bindings.delete(String(volumeId));
    case 'volumeDetached':
      for (const id of listIn<string>(event, 'containerIds')) {
        const loan = loans.get(id);
        const volumes = loan?.attached?.volumes?.filter(volume => volume.id !== volumeId) ?? [];
        if (loan) loans.set(id, { ...loan, attached: { ...loan.attached, volumes } });
      }
      return;
    default:
  }
}

function count(reserved: Record<keyof LoanReport['reserved'], number>, { attached = {} }: Loan): void {
  reserved.containers += 1;
  reserved.ports += attached.ports?.length ?? 0;
  reserved.addresses += attached.network?.address === undefined ? 0 : 1;
  reserved.exclusiveVolumes += attached.volumes?.filter(({ exclusive }) => exclusive).length ?? 0;
}

function listIn<T>({ data }: HistoryEvent, member: string): readonly T[] {
  const found = data[member];
  return Array.isArray(found) ? found : [];
}

function objectIn(data: HistoryEvent['data'], member: string): object {
  const found = data[member];
  return typeof found === 'object' && found !== null ? found : {};
}
