import { foldAll } from '../kernel/given.fixture.js';
import { projectStream } from './project.js';

it('a project has its name and its creation time', () => {
  const project = { id: 'p', name: 'shop' };
  expect(foldAll(projectStream, [{ type: 'ProjectCreated', data: project }])).toEqual({
    project,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  });
});
