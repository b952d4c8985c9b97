import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import { policyPatches } from '@stave/contracts/schemas';
import {
  createPolicy,
  deletePolicy,
  mergePatch,
  POLICY_VERSION,
  updatePolicy,
  type PolicyProperties,
  type PolicyState,
  type PolicyTarget,
  type PolicyType,
} from '@stave/domain';
import {
  bodyProblems,
  Feed,
  PolicyProjection,
  projectOf,
  validationFailed,
  type CommandReply,
  type ResourceCommands,
} from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { requireNoExactTarget } from './exact-scaling.js';
import { withSetIds } from './named-sets.js';
import { PolicyLookup } from './policy.lookup.js';
import { PolicyReconciler } from './policy.reconciler.js';
import { policyResource } from './policy.resource.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'policy', verb);

interface Ref {
  readonly id: string;
}

interface PolicyInput {
  readonly name?: string;
  readonly type: PolicyType;
  readonly version?: string;
  readonly properties: PolicyProperties;
}

interface PolicyPatch {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Commands on policies; they start no operations. */
@Controller()
export class PolicyController {
  constructor(
    @Inject(policyResource.commands) private readonly commands: ResourceCommands<PolicyState>,
    private readonly projection: PolicyProjection,
    private readonly lookup: PolicyLookup,
    private readonly reconciler: PolicyReconciler,
    private readonly feed: Feed,
    private readonly sets: SchedulerLookup,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<PolicyInput>): Promise<CommandReply> {
    const projectId = projectOf(meta.actor);
    const { type, version = POLICY_VERSION, properties } = body;
    return this.commands.create(meta, {
      body,
      resolve: async ({ resourceId: id }) => {
        this.lookup.requireAllowedHook(properties);
        const name = body.name ?? `policy-${id.slice(-6)}`;
        return { id, projectId, name, type, version, properties: await withSetIds(this.sets, meta, properties) };
      },
      scope: () => ({ projectId }),
      before: (policy, context) => this.lookup.names.reserve(policy, context),
      decide: createPolicy,
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch } }: ServiceRequest<Ref & { readonly patch: PolicyPatch }>) {
    let { properties = {} } = patch;
    return this.commands.change(meta, {
      find: () => this.lookup.policy(meta, ref),
      body: patch,
      check: async ({ created, properties: before }) => {
        await this.feed.caughtUp();
        const problems = bodyProblems(policyPatches[created.type], patch);
        if (problems.length > 0) throw validationFailed(problems);
        properties = await withSetIds(this.sets, meta, patch.properties ?? {});
        const after = mergePatch(before, properties) as PolicyProperties;
        this.lookup.requireAllowedHook(after);
        const targets = this.enabledTargetsOf(created.id);
        requireNoExactTarget(this.lookup, after, targets, '/properties/adjustment/type');
      },
      decide: state =>
        updatePolicy(state, {
          change: before => mergePatch(before, properties) as PolicyProperties,
          targets: this.targetsOf(state.created.id),
          ifMatch: meta.ifMatch,
        }),
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<Ref & { readonly detach?: boolean }>): Promise<CommandReply> {
    const { id: ref, detach = false } = body;
    return this.commands.change(meta, {
      find: () => this.lookup.policy(meta, ref),
      body: { delete: true, detach },
      check: () => this.feed.caughtUp(),
      decide: state => {
        const targets = this.targetsOf(state.created.id);
        return deletePolicy(state, { targets, detach, ifMatch: meta.ifMatch });
      },
      after: async ({ created }, context) => {
        await this.lookup.names.release(created, context);
        return this.reconciler.detachDeleted(created.id, context);
      },
    });
  }

  private enabledTargetsOf(policyId: string): readonly string[] {
    const { bindings } = this.projection;
    return this.projection
      .targetsOf(policyId)
      .filter(id => bindings.get(id)?.attachments.get(policyId)?.enabled === true);
  }

  private targetsOf(policyId: string): readonly PolicyTarget[] {
    const { bindings } = this.projection;
    return this.projection.targetsOf(policyId).flatMap(id => bindings.get(id)?.target ?? []);
  }
}
