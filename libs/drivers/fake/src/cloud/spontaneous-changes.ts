import type { CloudLedger } from './cloud-ledger.js';
import type { CreateRequest, CloudRequest } from './fake-cloud.port.js';
import type { FakeUnit } from './fake-unit.js';
import { faultPlan } from './fault-plan.js';

const EXIT_AFTER_MS = 50;
const LONGEST_BACKOFF_MS = 60_000;

/** Changes without a request: nodes that disappear (option `lose`) and containers that exit (command `exit <code> <after ms>`). */
export class SpontaneousChanges {
  private readonly lost = new Map<string, number>();

  constructor(
    private readonly ledger: CloudLedger,
    /** Waits; resolves to false when the cloud was closed meanwhile. */
    private readonly wait: (ms: number) => Promise<boolean>,
  ) {}

  onBuilt(request: CreateRequest, unit: FakeUnit): void {
    if (unit.kind === 'node') this.scheduleLoss(request, unit);
    else this.onStarted(request, unit);
  }

  onStarted(request: CloudRequest, unit: FakeUnit): void {
    const [command, code = '0', afterMs = ''] = wordsOf(unit);
    if (unit.kind !== 'container' || unit.state !== 'running' || command !== 'exit') return;
    const afterEach = afterMs === '' ? EXIT_AFTER_MS : Number(afterMs);
    void this.exitAfter(request, unit, Number(code), afterEach);
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

  /** Ends a container and restarts it by its policy, as an engine does, after a time that doubles with each restart. */
  private async exitAfter(request: CloudRequest, began: FakeUnit, exitCode: number, afterMs: number): Promise<void> {
    for (let round = 0; await this.wait(Math.min(afterMs * 2 ** round, LONGEST_BACKOFF_MS)); round++) {
      const unit = this.ledger.units.get(began.infrastructureId);
      if (unit?.state !== 'running' || unit.starts !== began.starts) return;
      const again = restartsOn(unit, exitCode);
      const restarts = (unit.restarts ?? 0) + (again ? 1 : 0);
      const ended: FakeUnit = { ...unit, exitCode, restarts, state: again ? 'running' : 'stopped' };
      this.ledger.write(request, { effect: 'ended', put: [ended] }, ended);
      if (!again) return;
    }
  }
}

function restartsOn({ attributes }: FakeUnit, exitCode: number): boolean {
  const policy = attributes['restartPolicy'];
  return policy === 'always' || policy === 'unless-stopped' || (policy === 'on-failure' && exitCode !== 0);
}

function wordsOf({ attributes }: FakeUnit): string[] {
  const { command, args } = attributes;
  return [command, args].flatMap(words => (Array.isArray(words) ? words.map(String) : []));
}
