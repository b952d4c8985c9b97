import type {
  ClusterSpec,
  ContainerLifecycle,
  ContainerSpec,
  Driver,
  DriverContext,
  NetworkLifecycle,
  NetworkSpec,
  NodeSpec,
  Unit,
  UnitKind,
  VolumeLifecycle,
  VolumeSpec,
} from '../../driver.js';
import { aNetworkSpec, aVolumeSpec, referenceTo } from '../spec-builders.js';
import type { DriverFixture } from './driver-fixture.js';
import { ContextRecorder, type ContextOptions } from './recording-context.js';

/** A value in the environment of every container of the kit, which must not appear in any log. */
export const secretValue = 'conformance-s3cret-value';

/** An open driver with a cluster and its first node, in which the checks create their resources. */
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

  /** Returns the specification of a new worker in the cluster of this bed. */
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

  /** Returns the specification of a new container on a node; by default on the first node of this bed. */
  container(nodeId: string = this.node.id): ContainerSpec {
    const spec = this.fixture.containerSpec({ clusterId: this.cluster.id, nodeId, generation: 1 });
    return { ...spec, env: { ...spec.env, CONFORMANCE_TOKEN: secretValue } };
  }

  /** Returns the specification of a new network, on the first node of this bed where it is of node scope. */
  network(): NetworkSpec {
    const { cluster, node, fixture } = this;
    const spec = (fixture.networkSpec ?? aNetworkSpec)({ clusterId: cluster.id, options: cluster.options });
    return spec.scope === 'node' ? { ...spec, nodeId: spec.nodeId ?? node.id } : spec;
  }

  /** Returns the specification of a new volume, on the first node of this bed where it is of node scope. */
  volume(): VolumeSpec {
    const { cluster, node, fixture } = this;
    const spec = (fixture.volumeSpec ?? aVolumeSpec)({ clusterId: cluster.id, options: cluster.options });
    return spec.scope === 'node' ? { ...spec, nodeId: spec.nodeId ?? node.id } : spec;
  }

  /** Returns the network operations of the driver. Throws when it has none. */
  get networks(): NetworkLifecycle {
    if (!this.driver.networks) throw new Error('this driver does not support networks');
    return this.driver.networks;
  }

  /** Returns the volume operations of the driver. Throws when it has none. */
  get volumes(): VolumeLifecycle {
    if (!this.driver.volumes) throw new Error('this driver does not support volumes');
    return this.driver.volumes;
  }

  /** Returns the container operations of the driver. Throws when it has none. */
  get containers(): ContainerLifecycle {
    if (!this.driver.containers) throw new Error('this driver does not support containers');
    return this.driver.containers;
  }

  /** Returns the units of one resource. */
  async units(kind: UnitKind, resourceId: string): Promise<readonly Unit[]> {
    const all = await this.driver.list(this.context());
    return all.filter(unit => unit.kind === kind && unit.resourceId === resourceId);
  }

  /** Deletes the first node and the cluster. */
  async removeAll(): Promise<void> {
    await this.driver.node.delete(this.context(), referenceTo(this.node, Number.MAX_SAFE_INTEGER));
    await this.driver.cluster.delete(this.context(), referenceTo(this.cluster, Number.MAX_SAFE_INTEGER));
  }
}
