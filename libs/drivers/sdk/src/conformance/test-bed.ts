import type { ClusterSpec, ContainerSpec, Driver, DriverContext, NodeSpec, Unit, UnitKind } from '../driver.js';
import type { DriverFixture } from './driver-fixture.js';
import { ContextRecorder, type ContextOptions } from './recording-context.js';

/** A value in a container's environment that nobody may log. */
export const secretValue = 'conformance-s3cret-value';

/** One open driver with a cluster and its first node, on which the checks make what they need. */
export class TestBed {
  readonly recorder = new ContextRecorder();
  private ordinal = 0;

  private constructor(
    readonly fixture: DriverFixture,
    readonly driver: Driver,
    readonly cluster: ClusterSpec,
    readonly node: NodeSpec,
  ) {}

  static async build(fixture: DriverFixture): Promise<TestBed> {
    const cluster = fixture.clusterSpec();
    const node = fixture.nodeSpec({ cluster, role: 'manager', ordinal: 0, generation: 1 });
    const bed = new TestBed(fixture, await fixture.open(), cluster, node);
    await bed.driver.cluster.create(bed.context(), cluster);
    await bed.driver.node.create(bed.context(), node);
    return bed;
  }

  context(options?: ContextOptions): DriverContext {
    return this.recorder.context(options);
  }

  /** A worker of the bed's cluster that does not exist yet. */
  worker(overrides: Partial<NodeSpec> = {}): NodeSpec {
    this.ordinal += 1;
    return this.fixture.nodeSpec({
      cluster: this.cluster,
      role: 'worker',
      ordinal: this.ordinal,
      generation: 1,
      ...overrides,
    });
  }

  /** A container for the bed's node, or another one, that does not exist yet. */
  container(nodeId: string = this.node.id): ContainerSpec {
    const spec = this.fixture.containerSpec({ clusterId: this.cluster.id, nodeId, generation: 1 });
    return { ...spec, env: { ...spec.env, CONFORMANCE_TOKEN: secretValue } };
  }

  /** The units of one resource. */
  async units(kind: UnitKind, resourceId: string): Promise<readonly Unit[]> {
    const all = await this.driver.list(this.context());
    return all.filter(unit => unit.kind === kind && unit.resourceId === resourceId);
  }

  async demolish(): Promise<void> {
    const reference = { clusterId: this.cluster.id, generation: Number.MAX_SAFE_INTEGER, options: {} };
    await this.driver.node.delete(this.context(), { ...reference, id: this.node.id });
    await this.driver.cluster.delete(this.context(), { ...reference, id: this.cluster.id });
  }
}
