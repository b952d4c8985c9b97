import { foldAll } from '../kernel/given.fixture.js';
import { deleteProject, projectStream, setProjectDisabled, updateProject, type ProjectState } from './project.js';

const created = (more: object = {}): ProjectState => {
  const state = foldAll(projectStream, [{ type: 'ProjectCreated', data: { id: 'p', name: 'shop', ...more } }]);
  if (!state) throw new Error('the project does not exist');
  return state;
};
function after(state: ProjectState, decision: ReturnType<typeof updateProject | typeof setProjectDisabled>) {
  if (!decision.ok) throw new Error(decision.refusal.code);
  return foldAll(projectStream, decision.events, state) ?? state;
}
const mine = { contents: [], kept: 'default' };

describe('a project', () => {
  it('a project has its name and its creation time', () => {
    expect(created()).toEqual({
      project: { id: 'p', name: 'shop' },
      description: '',
      labels: {},
      disabled: false,
      deleted: false,
      members: new Map(),
      revision: 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('description and labels are merged, and an equal change is none', () => {
    const made = created({ description: 'old', labels: { a: '1', b: '2' } });
    const changed = after(made, updateProject(made, { labels: { a: null, c: '3' } }));
    expect(changed).toMatchObject({ description: 'old', labels: { b: '2', c: '3' }, revision: 2 });
    expect(updateProject(changed, { description: 'old', labels: { b: '2' } })).toEqual({ ok: true, events: [] });
    expect(after(changed, updateProject(changed, { description: null, labels: null }))).toMatchObject({
      description: '',
      labels: {},
    });
  });

  it('a project with more than 64 labels is refused', () => {
    const labels = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, '']));
    expect(updateProject(created(), { labels })).toMatchObject({ refusal: { code: 'too-many' } });
  });

  it('a disabled project does not change until it is enabled', () => {
    const disabled = after(created(), setProjectDisabled(created(), true));
    expect(disabled).toMatchObject({ disabled: true, revision: 2 });
    expect(setProjectDisabled(disabled, true)).toEqual({ ok: true, events: [] });
    expect(updateProject(disabled, { description: 'x' })).toMatchObject({ refusal: { code: 'project-disabled' } });
    const enabled = after(disabled, setProjectDisabled(disabled, false));
    expect(updateProject(enabled, { description: 'x' })).toMatchObject({ ok: true });
  });

  it('only an empty project is deleted, and the default project never', () => {
    expect(deleteProject(created(), { ...mine, contents: ['cluster', 'policy'] })).toMatchObject({
      refusal: { code: 'project-not-empty', kind: 'conflict', extra: { contents: ['cluster', 'policy'] } },
    });
    expect(deleteProject(created({ id: 'default' }), mine)).toMatchObject({ refusal: { code: 'default-project' } });
    const decision = deleteProject(created(), mine);
    expect(decision).toMatchObject({ ok: true, events: [{ type: 'ProjectDeleted' }] });
    const deleted = foldAll(projectStream, decision.ok ? decision.events : [], created());
    expect(deleted).toMatchObject({ deleted: true, revision: 2 });
    expect(deleted && updateProject(deleted, {})).toMatchObject({ refusal: { code: 'not-found' } });
  });

  it('changes of a project honour the revision that the client knows', () => {
    const stale = { refusal: { code: 'revision-mismatch' } };
    expect(updateProject(created(), { description: 'x' }, 2)).toMatchObject(stale);
    expect(setProjectDisabled(created(), true, 2)).toMatchObject(stale);
    expect(deleteProject(created(), { ...mine, ifMatch: 2 })).toMatchObject(stale);
  });
});
