export interface Weighted {
  readonly id: string;
  /** Greater than 0; a member with any other weight owns nothing. */
  readonly weight: number;
}

/** The larger quotient first, then the smaller id: the same order whatever members take part. */
function precedes(a: Weighted, aSeats: number, b: Weighted, bSeats: number): boolean {
  const left = a.weight * (2 * bSeats + 1);
  const right = b.weight * (2 * aSeats + 1);
  return left === right ? a.id < b.id : left > right;
}

/**
 * How many of `total` slots each member gets, by weight: the divisor method of Webster and Sainte-Laguë. It is
 * monotone in the members: when one joins, nobody else's quota grows, and when one leaves, nobody else's shrinks;
 * therefore a change moves the quota of the one who came or went and nothing else.
 */
export function quotas(total: number, members: readonly Weighted[]): number[] {
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
  readonly member: Weighted;
  readonly at: number;
}

function givesBackBefore(a: Candidate, b: Candidate, seats: readonly number[]): boolean {
  const aSeats = seats[a.at] ?? 0;
  const bSeats = seats[b.at] ?? 0;
  if (aSeats === 0 || bSeats === 0) return aSeats > bSeats;
  return precedes(b.member, bSeats - 1, a.member, aSeats - 1);
}

function pick(members: readonly Weighted[], before: (a: Candidate, b: Candidate) => boolean): number {
  let best: Candidate | undefined;
  members.forEach((member, at) => {
    const candidate = { member, at };
    if (best === undefined || before(candidate, best)) best = candidate;
  });
  return best?.at ?? 0;
}
