import { fmix32, murmur3 } from './murmur3.js';

/** The number of slots of each ring key. A change of this part of the protocol moves every resource. */
export const SLOTS = 1024;

/** Returns the slot of a resource, the same in every key and release: MurmurHash3_x86_32 of its id (seed 0) modulo {@link SLOTS}. */
export function slotOf(resourceId: string): number {
  return murmur3(resourceId) & (SLOTS - 1);
}

export interface RingMember {
  readonly id: string;
  /** Greater than 0. A member with another weight owns nothing. */
  readonly weight: number;
}

/** Orders by the larger quotient, then the smaller id: the order does not depend on other members. */
function precedes(a: RingMember, aSeats: number, b: RingMember, bSeats: number): boolean {
  const left = a.weight * (2 * bSeats + 1);
  const right = b.weight * (2 * aSeats + 1);
  return left === right ? a.id < b.id : left > right;
}

/**
 * Returns the number of the `total` slots of each member by weight, with the divisor method of Webster and Sainte-Laguë. It is monotone:
 * when a member joins, no other quota grows, and when a member leaves, no other quota shrinks, so that a change moves only the quota of
 * the member that joined or left.
 */
function quotas(total: number, members: readonly RingMember[]): number[] {
  const weight = members.reduce((sum, member) => sum + member.weight, 0);
  const seats = members.map(member => Math.round((total * member.weight) / weight));
  let given = seats.reduce((sum, count) => sum + count, 0);
  while (given < total) {
    const at = pick(members, (a, b) => precedes(a.member, seats[a.at] ?? 0, b.member, seats[b.at] ?? 0));
    seats[at] = (seats[at] ?? 0) + 1;
    given += 1;
  }
  while (given > total) {
    const at = pick(members, (a, b) => givesBackBefore(a, b, seats));
    seats[at] = (seats[at] ?? 0) - 1;
    given -= 1;
  }
  return seats;
}

interface Candidate {
  readonly member: RingMember;
  readonly at: number;
}

function givesBackBefore(a: Candidate, b: Candidate, seats: readonly number[]): boolean {
  const aSeats = seats[a.at] ?? 0;
  const bSeats = seats[b.at] ?? 0;
  if (aSeats === 0 || bSeats === 0) return aSeats > bSeats;
  return precedes(b.member, bSeats - 1, a.member, aSeats - 1);
}

function pick(members: readonly RingMember[], before: (a: Candidate, b: Candidate) => boolean): number {
  let best: Candidate | undefined;
  members.forEach((member, at) => {
    const candidate = { member, at };
    if (best === undefined || before(candidate, best)) best = candidate;
  });
  return best?.at ?? 0;
}

/** The owner of each slot; undefined without a member. */
export interface SlotTable {
  readonly owners: readonly (string | undefined)[];
}

export const EMPTY_TABLE: SlotTable = { owners: new Array<string | undefined>(SLOTS).fill(undefined) };

/** Read once, since access to globals may be slow, as under Jest. */
const { log } = Math;
const SLOT_HASHES = Uint32Array.from({ length: SLOTS }, (_, slot) => murmur3(`slot:${slot}`));

interface Seat {
  readonly id: string;
  readonly weight: number;
  readonly hash: number;
  readonly quota: number;
  held: number;
}

/**
 * Returns the table after `previous` for these members. Pure and deterministic; the order of `members` does not matter. Every member gets
 * its quota (see {@link quotas}): at most 1.10 times its fair share, with rounding, for up to 100 equal members. An owner keeps its slots
 * up to its quota. A slot without an owner goes to the member below its quota that weighted rendezvous hashing (Thaler and Ravishankar
 * 1998) prefers. A new member takes the slots for which it scores best from members above their quota. When a member joins or leaves,
 * only its own quota moves.
 */
export function nextTable(previous: SlotTable | undefined, members: readonly RingMember[]): SlotTable {
  const seats = seatsOf(members);
  if (seats.length === 0) return EMPTY_TABLE;
  const byId = new Map(seats.map(seat => [seat.id, seat]));
  const owners = Array.from({ length: SLOTS }, (_, slot): string | undefined => {
    const seat = byId.get(previous?.owners[slot] ?? '');
    if (seat !== undefined) seat.held += 1;
    return seat?.id;
  });
  release(owners, seats, byId);
  fill(owners, seats);
  return { owners };
}

function seatsOf(members: readonly RingMember[]): Seat[] {
  const distinct = new Map<string, RingMember>();
  for (const member of members) {
    if (member.id !== '' && member.weight > 0 && Number.isFinite(member.weight)) distinct.set(member.id, member);
  }
  const sorted = [...distinct.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const shares = quotas(SLOTS, sorted);
  return sorted.map(({ id, weight }, at) => ({ id, weight, hash: memberHash(id), quota: shares[at] ?? 0, held: 0 }));
}

/** Hashes the id with its length as a prefix, so that no two pairs of member and slot have the same input. */
function memberHash(id: string): number {
  return murmur3(`${id.length}:${id}`, 0x9747b28c);
}

/** Returns the weighted rendezvous score, of which the smaller wins: -ln(u) / weight with u uniform in (0, 1). */
function cost(seat: Seat, slot: number): number {
  const u = (fmix32(seat.hash ^ (SLOT_HASHES[slot] ?? 0)) + 0.5) / 4294967296;
  return -log(u) / seat.weight;
}

function cheapest(seats: readonly Seat[], slot: number): Seat | undefined {
  if (seats.length < 2) return seats[0];
  let best: Seat | undefined;
  let bestCost = Infinity;
  for (const seat of seats) {
    const price = cost(seat, slot);
    if (best === undefined || price < bestCost) {
      best = seat;
      bestCost = price;
    }
  }
  return best;
}

/** Takes from every seat above its quota the slots that those below theirs prefer most. */
function release(owners: (string | undefined)[], seats: readonly Seat[], byId: ReadonlyMap<string, Seat>): void {
  const poor = seats.filter(seat => seat.held < seat.quota);
  if (seats.every(seat => seat.held <= seat.quota)) return;
  const offers: { slot: number; owner: Seat; cost: number }[] = [];
  owners.forEach((id, slot) => {
    const owner = byId.get(id ?? '');
    if (owner === undefined || owner.held <= owner.quota) return;
    const taker = cheapest(poor, slot);
    offers.push({ slot, owner, cost: taker === undefined ? Infinity : cost(taker, slot) });
  });
  offers.sort((a, b) => a.cost - b.cost || a.slot - b.slot);
  for (const { slot, owner } of offers) {
    if (owner.held <= owner.quota) continue;
    owner.held -= 1;
    owners[slot] = undefined;
  }
}

function fill(owners: (string | undefined)[], seats: readonly Seat[]): void {
  let room = seats.filter(seat => seat.held < seat.quota);
  for (let slot = 0; slot < SLOTS; slot += 1) {
    if (owners[slot] !== undefined) continue;
    const seat = cheapest(room, slot);
    if (seat === undefined) return;
    owners[slot] = seat.id;
    seat.held += 1;
    if (seat.held === seat.quota) room = room.filter(other => other !== seat);
  }
}
