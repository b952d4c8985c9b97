import { setTimeout as pause } from 'node:timers/promises';
import type { Crasher } from '../services/crasher.js';
import { between, type Random } from './write.js';

const FEWEST_WRITES = 80;
const MOST_WRITES = 160;
const MOST_DELAY_MS = 40;
/** The share of the kills that are followed by one during the start. */
const TWICE = 0.2;
const MOST_START_MS = 1_500;

/** Kills the victims in random order, each time after a random number of acknowledgements and a random time. */
export class RandomKills {
  private readonly underWay = new Set<Promise<void>>();
  private order: string[] = [];
  private left = 0;

  constructor(
    private readonly crasher: Crasher,
    private readonly victims: readonly string[],
    private readonly random: Random,
  ) {
    this.left = this.gap();
  }

  /** Counts an acknowledged write. */
  acknowledged(): void {
    this.left -= 1;
    if (this.left > 0) return;
    this.left = this.gap();
    const kill = this.kill(this.next()).finally(() => this.underWay.delete(kill));
    this.underWay.add(kill);
  }

  /** Resolves when no kill is due and every process runs. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    await this.crasher.settled();
  }

  /** Returns the number of kills by process. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.victims.map(name => [name, this.crasher.killsOf(name)]));
  }

  private async kill(victim: string): Promise<void> {
    const [delay, again, later] = [
      between(this.random, 0, MOST_DELAY_MS),
      this.random() < TWICE,
      between(this.random, 1, MOST_START_MS),
    ];
    await pause(delay);
    this.crasher.crash(victim);
    if (!again) return;
    await pause(later);
    this.crasher.crash(victim);
  }

  /** Every victim comes once before any comes again. */
  private next(): string {
    if (this.order.length === 0) this.order = shuffled(this.victims, this.random);
    return this.order.pop() ?? '';
  }

  private gap(): number {
    return between(this.random, FEWEST_WRITES, MOST_WRITES);
  }
}

function shuffled(items: readonly string[], random: Random): string[] {
  const keyed = items.map(item => ({ item, at: random() }));
  return keyed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
