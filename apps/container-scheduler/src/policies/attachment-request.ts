import type { RequestMeta } from '@stave/contracts';
import type { PolicyState, PolicyTargetType } from '@stave/domain';
import { projectOf, type Named, type ResourceScope } from '@stave/service-kit';
import type { FoundTarget, PolicyLookup } from './policy.lookup.js';

export interface TargetRef {
  readonly target: string;
  readonly targetType: PolicyTargetType;
}

/** `id`: the policy. */
export interface AttachmentRef extends TargetRef {
  readonly id: string;
}

interface Found {
  readonly policy: Named<PolicyState>;
  readonly target: FoundTarget;
}

/** The policy and the target that one request names, by id or name. */
export class AttachmentRequest {
  private parts: Found | undefined;

  constructor(
    private readonly lookup: PolicyLookup,
    private readonly meta: RequestMeta,
    private readonly ref: AttachmentRef,
  ) {}

  /** Throws RefusedError for what does not exist. */
  async find(): Promise<{ readonly id: string }> {
    const target = await this.lookup.target(this.meta, this.ref.targetType, this.ref.target);
    this.parts = { target, policy: await this.lookup.policy(this.meta, this.ref.id) };
    return target.target;
  }

  /** What `find` found. */
  get found(): Found {
    if (!this.parts) throw new Error('the parts of the request were not found before');
    return this.parts;
  }

  /** The project and cluster of the target; a repeat that only answers appends nothing and needs none. */
  get scope(): ResourceScope {
    return this.parts?.target.scope ?? { projectId: projectOf(this.meta.actor) };
  }

  /** Whether the request names this policy. */
  names({ created }: PolicyState): boolean {
    return created.id === this.ref.id || created.name.toLowerCase() === this.ref.id.toLowerCase();
  }
}
