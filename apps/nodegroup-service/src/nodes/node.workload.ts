import { Injectable } from '@nestjs/common';
import type { NodeState } from '@stave/domain';
import { RingFollower, type ResourceConnections } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeReconciler } from './node.reconciler.js';
import { classifyNode, nodeHealth, nodeTasks } from './node.tasks.js';

const CONCURRENCY = 64;

/** The work on nodes: of conductors, and of the reconciler. */
@Injectable()
export class NodeWorkload implements Pick<ResourceConnections<NodeState>, 'tasks' | 'health' | 'reconcile'> {
  readonly tasks: NonNullable<ResourceConnections<NodeState>['tasks']>;
  readonly health: NonNullable<ResourceConnections<NodeState>['health']>;
  readonly reconcile: NonNullable<ResourceConnections<NodeState>['reconcile']>;

  constructor(projection: FleetProjection, ring: RingFollower, reconciler: NodeReconciler) {
    const source = nodeTasks(projection, ring);
    this.tasks = { source, classify: classifyNode(projection) };
    this.health = nodeHealth(projection, source);
    this.reconcile = {
      reconcile: id => reconciler.reconcile(id),
      concurrency: CONCURRENCY,
      isUnsettled: (_id, state) => reconciler.isUnsettled(state),
    };
  }
}
