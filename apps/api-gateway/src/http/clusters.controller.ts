import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { clusterNodeGroupRoutes as inCluster, clusterRoutes as routes, nodeRoutes } from '../routes/index.js';
import { ResourceGateway, targetInCluster, targetOf } from '../services/resource-gateway.js';
import { ServiceClient } from '../services/service-client.js';
import { ok, type Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class ClustersController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
    private readonly services: ServiceClient,
  ) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('cluster', call);
  }

  @Handles(routes.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('cluster', call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('cluster', call, targetOf(call));
  }

  @Handles(routes.patch)
  patch(@FromCall() call: Call): Promise<Answer> {
    return this.resources.patch('cluster', call, targetOf(call));
  }

  @Handles(routes.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('cluster', call, targetOf(call));
  }

  @Handles(routes.rebuild)
  rebuild(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('cluster', call, targetOf(call), 'rebuild');
  }

  @Handles(routes.reboot)
  reboot(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('cluster', call, targetOf(call), 'reboot');
  }

  @Handles(routes.upgrade)
  upgrade(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('cluster', call, targetOf(call), 'upgrade');
  }

  @Handles(routes.pause)
  pause(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('cluster', call, targetOf(call), 'pause');
  }

  @Handles(routes.resume)
  resume(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('cluster', call, targetOf(call), 'resume');
  }

  @Handles(routes.retry)
  retry(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('cluster', call, targetOf(call), 'retry');
  }

  @Handles(routes.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('cluster', call, targetOf(call));
  }

  @Handles(routes.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('cluster', call, { id: param(call) });
  }

  @Handles(routes.credentials)
  async credentials(@FromCall() call: Call): Promise<Answer> {
    const { data } = await this.services.ask('cluster', 'credentials', call.meta, targetOf(call));
    return ok(data, { 'Cache-Control': 'no-store' });
  }

  @Handles(nodeRoutes.listInCluster)
  nodes(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('node', call, { clusterId: param(call) });
  }
}

@Controller()
export class ClusterNodeGroupsController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
  ) {}

  @Handles(inCluster.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('node-group', call, { clusterId: param(call) });
  }

  @Handles(inCluster.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('node-group', call, { ...call.body, clusterId: param(call) });
  }

  @Handles(inCluster.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('node-group', call, targetInCluster(call));
  }

  @Handles(inCluster.patch)
  patch(@FromCall() call: Call): Promise<Answer> {
    return this.resources.patch('node-group', call, targetInCluster(call));
  }

  @Handles(inCluster.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('node-group', call, targetInCluster(call));
  }

  @Handles(inCluster.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('node-group', call, targetInCluster(call));
  }

  @Handles(inCluster.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('node-group', call, { id: param(call, 'nodeGroup'), clusterId: param(call) });
  }

  @Handles(inCluster.rebuild)
  rebuild(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetInCluster(call), 'rebuild');
  }

  @Handles(inCluster.reboot)
  reboot(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetInCluster(call), 'reboot');
  }

  @Handles(inCluster.retry)
  retry(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetInCluster(call), 'retry');
  }

  @Handles(inCluster.resize)
  resize(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetInCluster(call), 'resize');
  }
}
