import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ResourceDocument, type ServiceRequest } from '@stave/contracts';
import { attachPolicy, detachPolicy, effectivePolicies, notFound, type PolicyBindings } from '@stave/domain';
import {
  ClosedProjects,
  Feed,
  keyedPage,
  PolicyProjection,
  RequestLedger,
  ResourceCommands,
  type CommandReply,
} from '@stave/service-kit';
import { AttachmentRequest, type AttachmentRef, type TargetRef } from './attachment-request.js';
import { requireNoExactTarget } from './exact-scaling.js';
import { attachmentFields } from './policy.document.js';
import { PolicyLookup } from './policy.lookup.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'policy', verb);

interface AttachmentInput extends AttachmentRef {
  readonly enabled?: boolean;
  readonly priority?: number;
}

interface PageOf {
  readonly id: string;
  readonly limit?: number;
  readonly cursor?: string;
}

type Documents = readonly ResourceDocument[];

const DEFAULT_PRIORITY = 100;
const DEFAULT_LIMIT = 50;

/** Commands on the attachments of policies, and what they result in. */
@Controller()
export class AttachmentController {
  constructor(
    private readonly projection: PolicyProjection,
    private readonly lookup: PolicyLookup,
    private readonly ledger: RequestLedger,
    private readonly feed: Feed,
    private readonly closed: ClosedProjects,
  ) {}

  /** Attaches a policy, or replaces `enabled` and `priority` of its attachment. */
  @MessagePattern(on('attach'))
  attach({ meta, body }: ServiceRequest<AttachmentInput>): Promise<CommandReply> {
    const { enabled = true, priority = DEFAULT_PRIORITY } = body;
    const request = new AttachmentRequest(this.lookup, meta, body);
    return this.commandsOn(request).change(meta, {
      find: () => request.find(),
      body: { ...body, enabled, priority },
      check: async () => {
        await request.find();
        const { policy, target } = request.found;
        if (enabled) requireNoExactTarget(this.lookup, policy.state.properties, [target.target.id], '');
      },
      decide: state => {
        const { policy, target } = request.found;
        const attached = { policyId: policy.id, policy: policy.state, target: target.target };
        return attachPolicy(state, { ...attached, enabled, priority, ifMatch: meta.ifMatch });
      },
      show: state => this.shown(state, request),
    });
  }

  @MessagePattern(on('detach'))
  detach({ meta, body }: ServiceRequest<AttachmentRef>): Promise<CommandReply> {
    const request = new AttachmentRequest(this.lookup, meta, body);
    return this.commandsOn(request).change(meta, {
      find: () => request.find(),
      body: { ...body, detach: true },
      check: async () => void (await request.find()),
      decide: state => detachPolicy(state, request.found.policy.id, meta.ifMatch),
    });
  }

  /** Returns the policies that are attached to a target, and what they result in with those of what contains it. */
  @MessagePattern(on('of-target'))
  async ofTarget({ meta, body }: ServiceRequest<TargetRef>) {
    await this.feed.caughtUp();
    const { target, levels } = await this.lookup.target(meta, body.targetType, body.target);
    const items: Documents = this.projection.attachedTo(target.id).map(attachmentFields);
    return { items, effective: effectivePolicies(this.projection.attachedTo(...levels)) };
  }

  /** Returns what a policy is attached to, in the order of the ids of the targets. */
  @MessagePattern(on('attachments'))
  async attachments({ meta, body }: ServiceRequest<PageOf>) {
    const { id: ref, limit = DEFAULT_LIMIT, cursor } = body;
    await this.feed.caughtUp();
    const { id } = await this.lookup.policy(meta, ref);
    const page = { list: `attachments of ${id}`, limit, cursor };
    const { items: targets, nextCursor } = keyedPage(this.projection.targetsOf(id), target => target, page);
    const attached = this.projection.attachedTo(...targets).filter(({ policyId }) => policyId === id);
    const items: Documents = attached.map(attachmentFields);
    return { items, nextCursor };
  }

  /** All events of one request belong to one project and cluster, which the state of the stream does not hold. */
  private commandsOn(request: AttachmentRequest): ResourceCommands<PolicyBindings> {
    const { bindings } = this.projection;
    return new ResourceCommands(this.ledger, {
      model: bindings,
      scope: () => request.scope,
      show: ({ target }) => ({ ...nothing, id: target?.id ?? '', projectId: request.scope.projectId }),
      refusalIn: project => this.closed.refusalIn(project),
    });
  }

  /** Returns the document of the attachment, also for a repeat after the deletion of the policy. */
  private async shown({ target, attachments }: PolicyBindings, request: AttachmentRequest): Promise<ResourceDocument> {
    for (const attachment of attachments.values()) {
      const { policyId } = attachment;
      const policy = (await this.projection.policies.lookUp(policyId)).state;
      if (target && policy && request.names(policy)) return attachmentFields({ policyId, policy, target, attachment });
    }
    throw new RefusedError(notFound('the attachment of this policy'));
  }
}

/** The answer to a detachment shows nothing of it, only whose it was. */
const nothing = { name: '', createdAt: '', updatedAt: '', revision: 0 } as const;
