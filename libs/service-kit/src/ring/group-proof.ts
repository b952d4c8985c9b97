import { Injectable } from '@nestjs/common';
import { getOrCreate, groupToken } from '@stave/domain';
import { RingFollower } from './ring-follower.js';

const MAX_TOKENS = 10_000;

/** Compares conductor groups with the token of a group that the subject of a message has. */
@Injectable()
export class GroupProof {
  private readonly tokens = new Map<string, string>();

  constructor(private readonly ring: RingFollower) {}

  /** Whether the token is that of the group, in whatever case the group is written. */
  isOf(token: string, group: string): boolean {
    // groups come from messages, too: what is kept is bounded
    if (this.tokens.size > MAX_TOKENS) this.tokens.clear();
    return getOrCreate(this.tokens, group, () => groupToken(group)) === token;
  }

  /** Whether conductors of the group with this token may work for the group: all may while the ring is pinned, since its keys have no group. */
  mayWorkFor(token: string, group: string): boolean {
    return this.ring.view.mode === 'pinned' || this.isOf(token, group);
  }
}
