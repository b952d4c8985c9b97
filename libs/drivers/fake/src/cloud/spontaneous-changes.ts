import type { Options } from '@stave/driver-sdk';
import type { CloudClock } from './cloud-clock.js';
import type { CloudLedger } from './cloud-ledger.js';
import type { CreateRequest, CloudRequest } from './fake-cloud.port.js';
import { KILLED, wordsOf, type FakeUnit } from './fake-unit.js';
import { faultPlan } from './fault-plan.js';

const EXIT_AFTER_MS = 50;
const LONGEST_BACKOFF_MS = 60_000;

/**
 * Changes without a request: nodes that disappear (option `lose`), and containers that exit (command `exit <code> <after ms>`, option
 * `crash`) or need more memory than they may use.
 */
export class SpontaneousChanges {
  private readonly lost = new Map<string, number>();
  private readonly crashes = new Map<string, number>();

  constructor(
    private readonly ledger: CloudLedger,
    private readonly clock: CloudClock,
    /** Waits; resolves to false when the cloud was closed meanwhile. */
    private readonly wait: (ms: number) => Promise<boolean>,
  ) {}

  onBuilt(request: CreateRequest, unit: FakeUnit): void {
    if (unit.kind === 'node') {
      this.scheduleLoss(request, unit);
      this.scheduleCut(request, unit);
    } else this.onStarted(request, unit);
  }

  onStarted(request: CloudRequest, unit: FakeUnit): void {
    const [command, code = '0', afterMs = ''] = wordsOf(unit);
    if (unit.kind !== 'container' || unit.state !== 'running') return;
    if (this.isCrashing(request, unit)) return;
    if (command !== 'exit') return;
    const afterEach = afterMs === '' ? EXIT_AFTER_MS : Number(afterMs);
    void this.exitAfter(request, unit, Number(code), afterEach);
  }

  /** Ends a container that needs more memory than its limit. */
  outOfMemory(request: CloudRequest, unit: FakeUnit): void {
    this.end(request, unit, KILLED);
  }

  /** Lets one of the first starts of an image in its cluster end, by the option `crash`. */
  private isCrashing(request: CloudRequest, unit: FakeUnit): boolean {
    const image = String(unit.attributes['image']);
    const crash = crashOf(request.options, image);
    const key = `${unit.clusterId}\n${image}`;
    const already = this.crashes.get(key) ?? 0;
    if (!crash || already >= crash.times) return false;
    this.crashes.set(key, already + 1);
    void this.wait(crash.afterMs).then(open => {
      const now = open ? this.ledger.units.get(unit.infrastructureId) : undefined;
      if (now?.state !== 'running' || now.starts !== unit.starts) return;
      const again = this.end(request, now, crash.code);
      if (again) this.onStarted(request, again);
    });
    return true;
  }

  private scheduleLoss(request: CreateRequest, unit: FakeUnit): void {
    const { lose } = faultPlan(request.options);
    const already = this.lost.get(unit.clusterId) ?? 0;
    if (!lose || already >= lose.nodes) return;
    this.lost.set(unit.clusterId, already + 1);
    void this.wait(lose.afterMs).then(open => {
      if (!open || !this.ledger.units.get(unit.infrastructureId)) return;
      const gone = [unit, ...this.ledger.units.onHost(unit.infrastructureId)].map(each => each.infrastructureId);
      this.ledger.write(request, { effect: 'lost', gone }, unit);
    });
  }

  /** Cuts off the engine of a machine (`lostAfterMs` of its URL): its node is still there, and nobody sees it. */
  private scheduleCut(request: CreateRequest, unit: FakeUnit): void {
    const { lostAfterMs } = unit.attributes;
    if (typeof lostAfterMs !== 'number') return;
    void this.wait(lostAfterMs).then(open => {
      const current = open ? this.ledger.units.get(unit.infrastructureId) : undefined;
      if (!current) return;
      const gone = this.ledger.units.onHost(unit.infrastructureId).map(each => each.infrastructureId);
      this.ledger.write(request, { effect: 'lost', put: [{ ...current, lost: true }], gone }, unit);
    });
  }

  /** Ends a container and restarts it by its policy, as an engine does, after a time that doubles with each restart. */
  private async exitAfter(request: CloudRequest, began: FakeUnit, exitCode: number, afterMs: number): Promise<void> {
    for (let round = 0; await this.wait(Math.min(afterMs * 2 ** round, LONGEST_BACKOFF_MS)); round++) {
      const unit = this.ledger.units.get(began.infrastructureId);
      if (unit?.state !== 'running' || unit.starts !== began.starts) return;
      if (!this.end(request, unit, exitCode)) return;
    }
  }

  /** Ends a run of a container; returns the container when its policy starts it again. */
  private end(request: CloudRequest, unit: FakeUnit, exitCode: number): FakeUnit | undefined {
    const again = restartsOn(unit, exitCode);
    const restarts = (unit.restarts ?? 0) + (again ? 1 : 0);
    const startedAt = again ? new Date(this.clock.now()).toISOString() : unit.startedAt;
    const ended: FakeUnit = { ...unit, exitCode, restarts, startedAt, state: again ? 'running' : 'stopped' };
    this.ledger.write(request, { effect: 'ended', put: [ended] }, ended);
    return again ? ended : undefined;
  }
}

interface Crash {
  readonly times: number;
  readonly code: number;
  readonly afterMs: number;
}

function crashOf({ crash }: Options, image: string): Crash | undefined {
  const crashes =
    typeof crash === 'object' && crash !== null ? new Map<string, unknown>(Object.entries(crash)) : undefined;
  const own = crashes?.get(image);
  if (typeof own !== 'object' || own === null) return undefined;
  const { times = 1, code = 1, afterMs = EXIT_AFTER_MS }: Partial<Crash> = own;
  return { times, code, afterMs };
}

function restartsOn({ attributes }: FakeUnit, exitCode: number): boolean {
  const policy = attributes['restartPolicy'];
  return policy === 'always' || policy === 'unless-stopped' || (policy === 'on-failure' && exitCode !== 0);
}
