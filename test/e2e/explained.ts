import { eventually, expectStatus, uniqueName } from '@stave/testing';
import type { Fleet } from './fleet.js';
import type { ContainerView, ResourceView } from './views.js';

export interface Remedy {
  readonly actions: readonly { readonly method: string; readonly path: string; readonly body?: object }[];
  readonly codes: readonly string[];
  readonly cost: number;
  readonly verified: true;
  readonly places: number;
  readonly sentence: string;
}

export interface ExplanationView {
  readonly status: string | null;
  readonly position: number | null;
  readonly nodes: { readonly total: number; readonly passing: number };
  readonly refusals: readonly { readonly code: string; readonly count: number; readonly nodes: readonly string[] }[];
  readonly growth: readonly { readonly nodeGroup: string; readonly code: string }[];
  readonly remedies: readonly Remedy[];
  readonly search: { readonly candidates: number; readonly complete: boolean };
}

/** Requests containers, and carries out what explanations advise. */
export class Explained {
  constructor(readonly fleet: Fleet) {}

  /** Creates a profile and returns its id. */
  async profile(hostCluster: string, resources: object, more: object = {}): Promise<string> {
    const body = { name: uniqueName('p'), image: 'web:1', resources, hostCluster, ...more };
    return expectStatus(await this.fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body.id;
  }

  /** Creates a container and returns it when it runs. */
  async run(body: object): Promise<ContainerView> {
    return this.read((await this.fleet.api.succeed(this.ask(body))).id);
  }

  read(id: string): Promise<ContainerView> {
    return this.fleet.api.read(`/v1/containers/${id}`);
  }

  explain(path: string): Promise<ExplanationView> {
    return this.fleet.api.read(`${path}/explain`);
  }

  /** Requests a container that waits, and returns it with its explanation. */
  async waiting(body: object): Promise<{ readonly id: string; readonly why: ExplanationView }> {
    const { id } = expectStatus(await this.ask(body), 202).body;
    await eventually(async () => (await this.read(id)).status === 'UNSCHEDULABLE', { what: 'the container waits' });
    return { id, why: await this.explain(`/v1/containers/${id}`) };
  }

  async carryOut({ actions }: Remedy): Promise<void> {
    expect(actions.length).toBeGreaterThan(0);
    for (const { method, path, body } of actions) {
      const answer = await this.fleet.api.send(method, path, { ...(body && { body }) });
      if (answer.status < 200 || answer.status > 299) throw new Error(JSON.stringify([method, path, answer.body]));
    }
  }

  isActive(id: string): Promise<unknown> {
    const isSo = async (): Promise<boolean> => (await this.read(id)).status === 'ACTIVE';
    return eventually(isSo, { timeoutMs: 40_000, what: `${id} is ACTIVE` });
  }

  /** Carries out the remedy that is as wanted, and waits until the container is placed. */
  async cure(id: string, why: ExplanationView, isWanted: (remedy: Remedy) => boolean): Promise<Remedy> {
    expect(why).toMatchObject({ status: 'UNSCHEDULABLE', nodes: { passing: 0 } });
    expect(why.refusals.reduce((sum, { count }) => sum + count, 0)).toBe(why.nodes.total);
    const remedy = why.remedies.find(isWanted);
    if (!remedy) throw new Error(`no such remedy: ${JSON.stringify(why)}`);
    expect(remedy.verified).toBe(true);
    await this.carryOut(remedy);
    await this.isActive(id);
    return remedy;
  }

  private ask(body: object) {
    return this.fleet.api.post<ContainerView>('/v1/containers', { name: uniqueName('c'), ...body });
  }
}

/** Remedies for these codes that cost so much. */
export const remedyFor =
  (codes: string, cost: number) =>
  (remedy: Remedy): boolean =>
    remedy.cost === cost && `${remedy.codes.join()}` === codes;
