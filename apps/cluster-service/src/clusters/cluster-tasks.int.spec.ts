import { commandSubject, type ClaimReply, type Task } from '@stave/contracts';
import { slotOf } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { ClustersHarness, PROJECT } from './clusters.fixture.js';
import { create, flavor } from './creation.fixture.js';

const meta = { actor: { keyId: 'conductor:one', role: 'admin', project: PROJECT } } as const;

it('the task that builds a cluster names its project by id and name', async () => {
  const harness = await ClustersHarness.open();
  try {
    await harness.append(`project-${PROJECT}`, { type: 'ProjectCreated', data: { id: PROJECT, name: 'shop' } });
    const replica = await harness.replica();
    const nodeGroups = [{ role: 'worker', count: 1, flavor }];
    const { id } = (await create(harness, replica, { name: 'c', driver: 'fake', nodeGroups })).resource;
    const holdings = [{ key: ':fake', version: '1.0.0', slots: [slotOf(id)] }];
    const body = { conductor: 'one', session: 's', epoch: 0, holdings, max: 10 };
    const subject = commandSubject('cluster-service', 'task', 'claim');
    const claimed = async (): Promise<Task | undefined> =>
      (await harness.request<ClaimReply>(replica, subject, body, meta)).tasks[0];
    const task = await eventually(claimed, 'the task is claimed');
    expect(task).toMatchObject({ kind: 'cluster.create', spec: { projectId: PROJECT, projectName: 'shop' } });
  } finally {
    await harness.close();
  }
});
