import {
  eventually,
  expectProblem,
  expectStatus,
  operationIdOf,
  StaveClient,
  uniqueName,
  type Page,
} from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';

interface StepView {
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly resource: { readonly type: string; readonly id: string; readonly name?: string };
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly conductor?: string;
  readonly nextAttemptAt?: string;
}
type Summary = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Tests what people read first: steps of an operation, and counts of everything. */
export function describeOperationSteps(stack: StackOf): void {
  describe('steps and summaries', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));
    const pageOf = (id: string, query = ''): Promise<Page<StepView>> =>
      fleet.api.read(`/v1/operations/${id}/steps?${query}`);

    it('the steps of an operation are listed in pages, with resource, conductor and times, also after its end', async () => {
      const name = uniqueName('c');
      const answer = expectStatus(await fleet.ask({ name }, [{ count: 5 }]), 202);
      const operation = operationIdOf(answer) ?? '';
      await fleet.api.operation(operation);
      const steps: StepView[] = [];
      let cursor: string | null = '';
      for (let pages = 0; cursor !== null && pages < 10; pages++) {
        const page: Page<StepView> = await pageOf(operation, `limit=4${cursor && `&cursor=${cursor}`}`);
        expect(page.items.length).toBeLessThanOrEqual(4);
        steps.push(...page.items);
        cursor = page.nextCursor;
      }
      expect(steps.map(({ resource }) => resource.name).sort()).toEqual(
        [name, ...[0, 1, 2, 3, 4].map(n => `w-${n}`)].sort(),
      );
      for (const { status, startedAt, finishedAt = '', conductor } of steps) {
        expect([status, typeof conductor]).toEqual(['DONE', 'string']);
        expect(finishedAt >= startedAt).toBe(true);
      }
      expect((await pageOf(operation, 'status=failed,RETRYING')).items).toEqual([]);
      expectProblem(await fleet.api.get(`/v1/operations/${operation}/steps?status=lost`), 400, '?status');
      const foreign = (await pageOf(operation, 'limit=1')).nextCursor;
      expectProblem(
        await fleet.api.get(`/v1/operations/${operation}/steps?status=DONE&cursor=${foreign}`),
        400,
        '?cursor',
      );
    });

    it('a step that waits for another attempt is found, and says when and why', async () => {
      const nodeFault = { code: 'no-valid-host', times: 1_000 };
      const answer = expectStatus(await fleet.ask({ options: { nodeFault } }, [{ count: 1 }]), 202);
      const operation = operationIdOf(answer) ?? '';
      const [step] = await eventually(
        async () => {
          const { items } = await pageOf(operation, 'status=retrying');
          return items.length > 0 ? items : undefined;
        },
        { timeoutMs: 30_000, what: 'a step that is retried' },
      );
      expect(step).toMatchObject({ status: 'RETRYING', resource: { type: 'node', name: 'w-0' } });
      expect(Date.parse(step?.nextAttemptAt ?? '')).toBeGreaterThan(Date.parse(step?.startedAt ?? ''));
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${answer.body.id}`));
    });

    it('the summary counts the resources of a project by type and status, and follows each change', async () => {
      const project = expectStatus(
        await fleet.api.post<{ id: string }>('/v1/projects', { name: uniqueName('p') }),
        201,
      );
      const made = await fleet.api.post<{ key: string }>('/v1/api-keys', { project: project.body.id, role: 'member' });
      const own = new Fleet({ url: stack().url, adminKey: expectStatus(made, 201).body.key });
      const summary = (): Promise<Summary> => own.api.read('/v1/summary');
      expect((await summary())['clusters']).toEqual({});
      const { id } = await own.cluster({}, [{ count: 3 }]);
      expect(await summary()).toMatchObject({
        clusters: { ACTIVE: 1 },
        nodeGroups: { ACTIVE: 1 },
        nodes: { ACTIVE: 3 },
      });
      expect((await summary())['operations']).toEqual({});
      const all = await new StaveClient(stack().url, stack().adminKey).read<Summary>('/v1/summary');
      expect(all['nodes']?.['ACTIVE']).toBeGreaterThanOrEqual(3);
      await own.api.succeed(own.api.delete(`/v1/clusters/${id}`));
      await eventually(
        async () =>
          ((await summary())['nodes'] && Object.keys((await summary())['nodes'] ?? {}).length === 0) || undefined,
        {
          what: 'a summary without nodes',
        },
      );
      expect((await summary())['clusters']).toEqual({});
    });
  });
}
