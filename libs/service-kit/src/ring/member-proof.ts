import { Injectable } from '@nestjs/common';
import type { ServiceError } from '@stave/contracts';
import { foldGroup, parseRingKey, type LiveMember } from '@stave/domain';
import { GroupProof } from './group-proof.js';
import { RingFollower } from './ring-follower.js';

/** The verbs that conductors send, by resource. */
const ofConductors: Readonly<Record<string, readonly string[]>> = {
  conductor: ['register', 'epoch', 'table', 'leave'],
  task: ['claim', 'report', 'recovered'],
  orphan: ['classify', 'removed'],
  health: ['expected', 'observed'],
};

/** Verbs that are recorded for a conductor without another proof; the others have no effect, or name a session, once it has left. */
const needsMember: ReadonlySet<string> = new Set(['removed', 'observed']);

/** Whether conductors send this command, on a subject with the token of their group. */
export const isOfConductors = (resource: string, verb: string): boolean =>
  ofConductors[resource]?.includes(verb) ?? false;

const refused = (detail: string): ServiceError => ({ code: 'member-not-proven', kind: 'forbidden', detail });
const WRONG_GROUP = refused('the subject of the message belongs to another conductor group');

/** Compares what a message of a conductor says about its sender with what its subject proves. */
@Injectable()
export class MemberProof {
  constructor(
    private readonly ring: RingFollower,
    private readonly groups: GroupProof,
  ) {}

  /** Returns why a message on a subject with the token of a group is not believed; undefined when it is. */
  async refusal(
    token: string,
    [resource, verb]: readonly [string, string],
    body: unknown,
  ): Promise<ServiceError | undefined> {
    const given: Partial<Record<string, unknown>> = Object(body);
    if (resource === 'conductor' && verb === 'register') {
      if (given['kind'] === 'service') return refused('a conductor does not register as a service');
      if (!this.groups.isOf(token, String(given['group'] ?? ''))) return WRONG_GROUP;
    }
    for (const conductor of namedIn(given)) {
      const member = await this.memberOf(conductor);
      if (member === undefined && needsMember.has(verb)) return refused('the conductor is not registered');
      if (!member) continue;
      if (member.kind === 'service' || !this.groups.isOf(token, member.group)) return WRONG_GROUP;
      if (!keysIn(given).every(key => isOfGroup(key, member.group))) return WRONG_GROUP;
    }
    return undefined;
  }

  private async memberOf(conductor: string): Promise<LiveMember | undefined> {
    const known = this.ring.view.member(conductor);
    if (known) return known;
    await this.ring.refresh();
    return this.ring.view.member(conductor);
  }
}

/** Returns the ring keys that a body names. */
function keysIn(body: Partial<Record<string, unknown>>): readonly string[] {
  const holdings = Array.isArray(body['holdings']) ? body['holdings'] : [];
  return holdings.map(holding => String(Object(holding)['key']));
}

/** A key of a pinned ring has no group. */
function isOfGroup(key: string, group: string): boolean {
  const { group: named } = parseRingKey(key);
  return named === undefined || named === foldGroup(group);
}

/** Returns the conductors that a body names as its sender. */
function namedIn(body: Partial<Record<string, unknown>>): ReadonlySet<string> {
  const attempts = Array.isArray(body['attempts']) ? body['attempts'] : [];
  const named: unknown[] = [body, ...attempts].map(part => Object(part)['conductor']);
  return new Set(named.filter(name => typeof name === 'string'));
}
