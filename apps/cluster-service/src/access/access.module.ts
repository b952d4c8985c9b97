import { Inject, Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { NewerEvents } from '@stave/service-kit';
import { AuditController } from './audit.controller.js';
import { ApiKeyController } from './api-key.controller.js';
import { apiKeyResource } from './api-key.resource.js';
import { ApiKeyProjection, ApiKeys } from './api-keys.js';
import { KeyUses } from './key-uses.js';
import { ProjectContents } from './project-contents.js';
import { ProjectMembersController } from './project-members.controller.js';
import { ProjectController } from './project.controller.js';
import { projectResource } from './project.resource.js';
import { QuotaController } from '../quotas/quota.controller.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { ProjectProjection, Projects } from './projects.js';

export interface AccessOptions {
  /** The first administrator's key; it is registered (hashed) unless it is already. */
  readonly administratorKey?: string;
  /** The hashes of administrator's keys that were rotated out; they are revoked. */
  readonly formerAdministratorKeys?: readonly string[];
}

const OPTIONS = Symbol('AccessOptions');

@Module({
  imports: [QuotasModule],
  controllers: [
    AuditController,
    ApiKeyController,
    ProjectController,
    ProjectMembersController,
    QuotaController,
    ...apiKeyResource.controllers,
    ...projectResource.controllers,
  ],
  providers: [
    ApiKeyProjection,
    ApiKeys,
    KeyUses,
    ProjectProjection,
    ProjectContents,
    Projects,
    ...apiKeyResource.providers,
    ...projectResource.providers,
  ],
})
export class AccessModule implements OnApplicationBootstrap {
  constructor(
    @Inject(OPTIONS) private readonly options: AccessOptions,
    private readonly projects: Projects,
    private readonly keys: ApiKeys,
    private readonly newer: NewerEvents,
  ) {}

  static forRoot(options: AccessOptions): DynamicModule {
    return { module: AccessModule, providers: [{ provide: OPTIONS, useValue: options }] };
  }

  /** Runs after the log was replayed: global modules are started first. */
  onApplicationBootstrap(): Promise<void> {
    return this.newer.unlessFound(() => this.ensure());
  }

  private async ensure(): Promise<void> {
    await this.projects.ensureDefault();
    const { administratorKey, formerAdministratorKeys = [] } = this.options;
    if (administratorKey !== undefined) await this.keys.ensureAdministrator(administratorKey);
    await this.keys.revokeAdministrators(formerAdministratorKeys);
  }
}
