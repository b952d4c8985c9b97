import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import type { FlavorSpec, Problem } from '@stave/domain';
import type { Messaging } from '@stave/platform';
import { MESSAGING } from '../composition/ports.js';
import { ProjectIdentities } from '../resources/project-identities.js';
import { RingFollower } from '../ring/ring-follower.js';
import { callConductor } from './call-conductor.js';
import type { TaskRouting } from './task-source.js';

/** Whoever gives a flavor by its name waits so long for its sizes. */
const ASK_MS = 10_000;

/** A flavor by its name, and the conductor that knows it. */
export interface NamedFlavorQuestion {
  readonly name: string;
  /** The cluster that the flavor is for; it need not exist yet. */
  readonly clusterId: string;
  readonly projectId: string;
  readonly routing: TaskRouting;
  /** The options of the cluster and of the node group, which win. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Asks conductors for the sizes of flavors that requests give by name. */
@Injectable()
export class NamedFlavors {
  constructor(
    @Inject(RingFollower) private readonly ring: Pick<RingFollower, 'view'>,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(ProjectIdentities) private readonly projects: Pick<ProjectIdentities, 'read'>,
  ) {}

  /** Returns the answers for one request, in which each question is asked once. */
  forRequest(): FlavorAnswers {
    return new FlavorAnswers(question => this.ask(question));
  }

  private async ask({
    name,
    clusterId,
    projectId,
    routing,
    options,
  }: NamedFlavorQuestion): Promise<FlavorSpec | undefined> {
    try {
      const { projectName } = await this.projects.read(projectId);
      const project = projectName === undefined ? [projectId] : [projectId, projectName];
      const answer = await callConductor(this.ring, this.messaging, {
        resourceId: clusterId,
        description: 'this cluster',
        routing,
        call: { kind: 'cluster.flavor', spec: { id: clusterId, generation: 0, name, project, options } },
        timeoutMs: ASK_MS,
      });
      return flavorOf(name, answer);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.error.code === 'flavor-unknown') return undefined;
      throw error.error.kind === 'unavailable' ? error : unresolved(name, error.error.detail);
    }
  }
}

/** What conductors answered for one request. */
export class FlavorAnswers {
  private readonly answers = new Map<string, Promise<FlavorSpec | undefined>>();

  constructor(private readonly ask: (question: NamedFlavorQuestion) => Promise<FlavorSpec | undefined>) {}

  /** Whether anything was asked: what the request resolves to then may change later. */
  get isUsed(): boolean {
    return this.answers.size > 0;
  }

  /**
   * Returns the flavor with its sizes; undefined where the infrastructure has none of this name. Throws RefusedError (503) where no conductor
   * answers, or its driver does not know.
   */
  sizesOf(question: NamedFlavorQuestion): Promise<FlavorSpec | undefined> {
    const key = JSON.stringify(question);
    const answer = this.answers.get(key) ?? this.ask(question);
    this.answers.set(key, answer);
    return answer;
  }
}

/** The problem of a flavor that the infrastructure does not have. `base` points to the flavor. */
export const unknownFlavor = (name: string, driver: string, base: string): Problem => ({
  pointer: `${base}/name`,
  code: 'flavor-unknown',
  detail: `the infrastructure of driver ${driver} has no flavor named ${name}`,
});

function flavorOf(asked: string, answer: unknown): FlavorSpec {
  const { name = asked, cpus, memoryMb, diskGb } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !isSize(cpus) || !isSize(memoryMb) || (diskGb !== undefined && !isSize(diskGb)))
    throw unresolved(asked, 'the answer of its driver is no flavor');
  return { name, cpus, memoryMb, ...(diskGb !== undefined && { diskGb }) };
}

const isSize = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0;

const unresolved = (name: string, why: string): RefusedError =>
  new RefusedError({
    code: 'flavor-unresolved',
    kind: 'unavailable',
    detail: `the sizes of flavor ${name} are not known: ${why}`,
    retryAfterMs: 1_000,
  });
