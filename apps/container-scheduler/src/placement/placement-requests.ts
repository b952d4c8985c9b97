import { Injectable } from '@nestjs/common';
import {
  firstOf,
  hasOwnRules,
  requestOf,
  withOwnRules,
  type ContainerState,
  type PlacementPolicy,
  type PlacementRequest,
  type ReservedAttachments,
} from '@stave/domain';
import { demandOf, type Demand } from '../attachments/demand.js';
import { placementPolicyOf } from '../policies/placement-policy.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ClusterSnapshots, type ClusterSnapshot } from './cluster-snapshots.js';

/** Whether others than one node have a volume follows from two of them. */
const NODES_THAT_DECIDE = 2;

type Named = Pick<ContainerState, 'declared' | 'contents'> & Partial<Pick<ContainerState, 'recentlyRejectedBy'>>;

/** Says what a container demands of a node: its own demands, those of the policies, and those of its networks, volumes and ports. */
@Injectable()
export class PlacementRequests {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly snapshots: ClusterSnapshots,
  ) {}

  /** Returns the complete request; `avoid`: the ids of nodes that it is not placed on. */
  of(container: Named, snapshot: ClusterSnapshot, avoid: readonly string[] = []): PlacementRequest {
    const demand = demandOf(this.projection, container);
    return this.complete({ request: requestOf(container, avoid), container, ...(demand && { demand }) }, snapshot);
  }

  /** Adds to a request what policies, networks, volumes and ports demand, and what affinity and spread see of the container. */
  complete(
    { request, container, demand }: { request: PlacementRequest; container: Named; demand?: Demand },
    snapshot: ClusterSnapshot,
  ): PlacementRequest {
    const { declared, contents } = container;
    const { clusterId, setId } = declared;
    const isRuled = snapshot.isRuled || hasOwnRules(contents);
    const seen = {
      ...request,
      // a set counts its own members
      ...(setId === undefined ? {} : { setId }),
      ...(isRuled ? { labels: contents.labels, ...withOwnRules(snapshot.rulesOf(setId), contents) } : {}),
    };
    return demand ? this.withDemand(clusterId, seen, demand) : seen;
  }

  /** Returns the policy by which the containers of a set, or of none, are placed. */
  policyOf(clusterId: string, setId: string | undefined): PlacementPolicy {
    return placementPolicyOf(this.snapshots.policies, clusterId, setId);
  }

  private withDemand(clusterId: string, request: PlacementRequest, { asked, wanted }: Demand): PlacementRequest {
    const { lent } = this.projection.placement.get(clusterId).ledger;
    const volumes = wanted.volumes.map((volume, i) => {
      const id = asked.volumes?.[i]?.id ?? '';
      const nodeId = lent.bindings.get(id);
      const attachedTo = firstOf(lent.users.get(id)?.keys() ?? [], NODES_THAT_DECIDE);
      return { ...volume, id, ...(nodeId !== undefined && { nodeId }), attachedTo };
    });
    const hostPorts = hostPortsOf(asked);
    return {
      ...request,
      ...(wanted.network && { network: wanted.network }),
      ...(volumes.length > 0 && { volumes }),
      ...(hostPorts.length > 0 && { hostPorts }),
    };
  }
}

const hostPortsOf = ({ ports = [] }: ReservedAttachments): NonNullable<PlacementRequest['hostPorts']> =>
  ports.map(({ hostPort: port, protocol }) => ({ port, protocol }));
