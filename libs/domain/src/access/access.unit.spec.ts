import { foldAll } from '../kernel/given.fixture.js';
import { apiKeyStream, projectStream } from './access.js';

it('an API key is valid until it is revoked', () => {
  const key = { id: 'k', name: 'ci', project: 'p', role: 'member', hash: 'h' } as const;
  const evolver = apiKeyStream;
  const made = foldAll(evolver, [{ type: 'ApiKeyCreated', data: key }]);
  expect(made).toMatchObject({ key, deleted: false });
  expect(foldAll(evolver, [{ type: 'ApiKeyRevoked', data: { id: 'k' } }], made)).toMatchObject({ key, deleted: true });
});

it('a project has its name and its creation time', () => {
  const evolver = projectStream;
  const project = { id: 'p', name: 'shop' };
  expect(foldAll(evolver, [{ type: 'ProjectCreated', data: project }])).toEqual({
    project,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  });
});
