import { Injectable } from '@nestjs/common';
import { gauge } from '@stave/platform';
import { RingFollower } from '@stave/service-kit';

const members = gauge(
  {
    name: 'stave_ring_members',
    help: 'Members of the ring, by what they are and whether they are live or draining; the same in each replica of cluster-service',
    labels: ['kind', 'state'],
  },
  'highest',
);
const epochs = gauge(
  { name: 'stave_ring_epoch', help: 'The number of the last change of the ring that this process knows', labels: [] },
  'highest',
);

const shown = [
  { kind: 'conductor', state: 'live' },
  { kind: 'conductor', state: 'draining' },
  { kind: 'service', state: 'live' },
] as const;

const keyOf = ({ kind, state }: { readonly kind: string; readonly state: string }): string => `${kind} ${state}`;

/** Shows how many members the ring has. They are counted once after each change of the ring. */
@Injectable()
export class RingMeasures {
  private counted: { readonly epoch: number; readonly counts: ReadonlyMap<string, number> } | undefined;

  constructor(private readonly ring: RingFollower) {
    epochs.from({}, this, ({ ring: { view } }) => view.epoch);
    for (const labels of shown) members.from(labels, this, measures => measures.count(keyOf(labels)));
  }

  private count(key: string): number {
    const { view } = this.ring;
    if (this.counted?.epoch !== view.epoch) {
      const counts = new Map<string, number>();
      for (const { kind, drainingUntil } of view.members()) {
        const of = keyOf({ kind, state: drainingUntil === undefined ? 'live' : 'draining' });
        counts.set(of, (counts.get(of) ?? 0) + 1);
      }
      this.counted = { epoch: view.epoch, counts };
    }
    return this.counted.counts.get(key) ?? 0;
  }
}
