import { Injectable } from '@nestjs/common';
import type { Refusal } from '@stave/domain';
import { ProjectQuotas } from '../quotas/project-quotas.js';
import { QuotaGuard, type QuotaRules } from '../quotas/quota-guard.js';
import { ClosedProjects } from './closed-projects.js';

/** What projects rule for all resources in them. */
@Injectable()
export class ResourceRules {
  constructor(
    private readonly closed: ClosedProjects,
    private readonly quotas: ProjectQuotas,
  ) {}

  /** Returns why nothing can be changed in the project; undefined where it can. */
  refusalIn(projectId: string): Refusal | undefined {
    return this.closed.refusalIn(projectId);
  }

  /** Returns what holds the resources of a type to the quotas of their projects. */
  quotaGuard<S>(rules: QuotaRules<S>): QuotaGuard<S> {
    return new QuotaGuard(this.quotas, rules);
  }
}
