import type { ClaimReply, Task } from '@stave/contracts';
import { slotOf } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { PROJECT, SESSION } from '@stave/service-kit/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

const meta = { actor: { keyId: 'conductor:one', role: 'admin', project: PROJECT } } as const;

it('the task that builds a node names the project of its cluster by id and name', async () => {
  const harness = await NodeGroupHarness.open();
  try {
    await harness.append(`project-${PROJECT}`, { type: 'ProjectCreated', data: { id: PROJECT, name: 'shop' } });
    const replica = await harness.replica();
    await harness.cluster({ workers: 1 });
    const slots = await eventually(async () => {
      const ids = await harness.nodeIds();
      return ids.length === 1 && ids.map(slotOf);
    }, 'the node is declared');
    const holdings = [{ key: ':fake', version: '1.0.0', slots }];
    const body = { conductor: 'one', session: SESSION, epoch: 0, holdings, max: 10 };
    const claimed = async (): Promise<Task | undefined> =>
      (await replica.ask<ClaimReply>('task', 'claim', body, meta)).tasks[0];
    const task = await eventually(claimed, 'the task is claimed');
    expect(task).toMatchObject({
      kind: 'node.create',
      spec: { cluster: { projectId: PROJECT, projectName: 'shop' } },
    });
  } finally {
    await harness.close();
  }
});
