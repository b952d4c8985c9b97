import { quotaHistory } from './quota-rules.js';

let position = 0;
const event = (subject: string, fact: string, data: object) => {
  const [type = ''] = subject.split('/');
  return { type: `stave.${type}.${fact}.v1`, subject, time: '', position: String(position++), data: { ...data } };
};
const projectId = 'p';

it('the nodes and containers of a project are counted from its events, with the most that it ever had', () => {
  const events = [
    event('nodeGroup/a', 'created', { projectId, spec: { count: 3 } }),
    event('nodeGroup/x', 'created', { projectId: 'other', spec: { count: 9 } }),
    event('nodeGroup/x', 'resized', { count: 20 }),
    event('nodeGroup/a', 'resized', { count: 7 }),
    event('containerSet/s', 'created', { projectId, spec: { desired: 2 } }),
    event('container/m', 'created', { projectId, setId: 's' }),
    event('container/c', 'created', { projectId }),
    event('containerSet/s', 'memberRemovalAccepted', { desired: 1 }),
    event('nodeGroup/a', 'nodeRemovalAccepted', { count: 6 }),
    event('container/c', 'deleted', {}),
    event('container/m', 'deleted', {}),
  ];
  expect(quotaHistory(events, projectId)).toEqual({
    most: { nodes: 7, containers: 3 },
    last: { nodes: 6, containers: 1 },
  });
  expect(quotaHistory([...events, event('nodeGroup/a', 'deleted', {})], projectId).last.nodes).toBe(0);
});
