import type { LeaderTask } from './leader-tasks.js';
import type { ReconcileQueue } from './reconcile-queue.js';
import { ResyncRound, type Resync } from './resync-round.js';

const RESYNC_MS = 15_000;

/** The reconcile queues of a service; the leader works on them, and marks what events may have missed from time to time. */
export class ReconcileQueues implements LeaderTask {
  private readonly queues: { readonly queue: ReconcileQueue; readonly round: ResyncRound }[] = [];
  private timer: NodeJS.Timeout | undefined;

  add(queue: ReconcileQueue, resync: Resync): void {
    this.queues.push({ queue, round: new ResyncRound(resync) });
  }

  start(): void {
    for (const { queue, round } of this.queues) {
      round.complete();
      queue.start();
    }
    this.timer = setInterval(() => this.queues.forEach(({ round }) => round.next()), RESYNC_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.queues.map(({ queue }) => queue.stop()));
  }
}
