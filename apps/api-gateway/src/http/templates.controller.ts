import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { clusterTemplateRoutes as ofClusters, nodeGroupTemplateRoutes as ofGroups } from '../routes/index.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import type { Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class ClusterTemplatesController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
  ) {}

  @Handles(ofClusters.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('cluster-template', call);
  }

  @Handles(ofClusters.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('cluster-template', call);
  }

  @Handles(ofClusters.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('cluster-template', call, targetOf(call));
  }

  @Handles(ofClusters.patch)
  patch(@FromCall() call: Call): Promise<Answer> {
    return this.resources.patch('cluster-template', call, targetOf(call));
  }

  @Handles(ofClusters.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('cluster-template', call, targetOf(call));
  }

  @Handles(ofClusters.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('cluster-template', call, targetOf(call));
  }

  @Handles(ofClusters.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('cluster-template', call, { id: param(call) });
  }
}

@Controller()
export class NodeGroupTemplatesController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
  ) {}

  @Handles(ofGroups.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('node-group-template', call);
  }

  @Handles(ofGroups.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('node-group-template', call);
  }

  @Handles(ofGroups.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('node-group-template', call, targetOf(call));
  }

  @Handles(ofGroups.patch)
  patch(@FromCall() call: Call): Promise<Answer> {
    return this.resources.patch('node-group-template', call, targetOf(call));
  }

  @Handles(ofGroups.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('node-group-template', call, targetOf(call));
  }

  @Handles(ofGroups.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('node-group-template', call, targetOf(call));
  }

  @Handles(ofGroups.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('node-group-template', call, { id: param(call) });
  }
}
