import { Module, type DynamicModule } from '@nestjs/common';
import { ServiceKitModule, startService, type RunningService, type ServicePorts } from '@stave/service-kit';
import type { PublicationLog } from '@stave/platform';
import { AccessModule, type AccessOptions } from './access/access.module.js';
import { ClustersModule } from './clusters/clusters.module.js';
import { PublicationModule } from './publication/publication.module.js';
import { RingModule, type RingOptions } from './ring/ring.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { TimesModule } from './times/times.module.js';

export interface ClusterServiceOptions extends AccessOptions, RingOptions {
  /** Receives the events that the elected replica publishes; closed with the service. Absent: events are not published. */
  readonly publication?: PublicationLog;
}

/** Clusters, templates, projects, API keys and the membership of conductors. */
@Module({})
export class AppModule {
  static forRoot(ports: ServicePorts, options: ClusterServiceOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceKitModule.forRoot({ ...ports, service: 'cluster-service', operationIdPrefix: 'c' }),
        ClustersModule,
        TemplatesModule,
        AccessModule.forRoot(options),
        RingModule.forRoot(options),
        PublicationModule.forRoot(options.publication),
        TimesModule,
      ],
    };
  }
}

/** Starts cluster-service on these ports. Resolves when it answers requests. */
export async function createClusterService(
  ports: ServicePorts,
  options: ClusterServiceOptions = {},
): Promise<RunningService> {
  const service = await startService(AppModule.forRoot(ports, options));
  return {
    close: async () => {
      await service.close();
      await options.publication?.close();
    },
  };
}
