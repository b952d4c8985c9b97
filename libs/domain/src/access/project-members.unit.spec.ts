import { foldAll } from '../kernel/given.fixture.js';
import { MAX_MEMBERS, removeProjectMember, setProjectMember } from './project-members.js';
import { deleteProject, projectStream, setProjectDisabled, type ProjectEvent, type ProjectState } from './project.js';
import type { Decision } from '../kernel/decider.js';

function after(state: ProjectState | undefined, decision: Decision<ProjectEvent>): ProjectState {
  if (!decision.ok) throw new Error(decision.refusal.code);
  const next = foldAll(projectStream, decision.events, state);
  if (!next) throw new Error('the project does not exist');
  return next;
}
const shop = after(undefined, { ok: true, events: [{ type: 'ProjectCreated', data: { id: 'p', name: 'shop' } }] });
const withBen = after(shop, setProjectMember(shop, { subject: 'ben', role: 'reader' }));

describe('members of a project', () => {
  it('a member has the role that was given last, and the same role again changes nothing', () => {
    expect(withBen).toMatchObject({ members: new Map([['ben', 'reader']]), revision: 2 });
    const admin = after(withBen, setProjectMember(withBen, { subject: 'ben', role: 'admin' }));
    expect(admin).toMatchObject({ members: new Map([['ben', 'admin']]), revision: 3 });
    expect(setProjectMember(admin, { subject: 'ben', role: 'admin' })).toEqual({ ok: true, events: [] });
  });

  it('who was removed is no member, and cannot be removed again', () => {
    const without = after(withBen, removeProjectMember(withBen, 'ben'));
    expect(without.members.size).toBe(0);
    expect(removeProjectMember(without, 'ben')).toMatchObject({ refusal: { kind: 'not-found' } });
  });

  it('members of a disabled or deleted project, or of another revision, do not change', () => {
    const disabled = after(withBen, setProjectDisabled(withBen, true));
    const deleted = after(withBen, deleteProject(withBen, { contents: [], kept: 'default' }));
    for (const [state, code] of [
      [disabled, 'project-disabled'],
      [deleted, 'not-found'],
    ] as const) {
      expect(setProjectMember(state, { subject: 'eva', role: 'member' })).toMatchObject({ refusal: { code } });
      expect(removeProjectMember(state, 'ben')).toMatchObject({ refusal: { code } });
    }
    expect(removeProjectMember(withBen, 'ben', 1)).toMatchObject({ refusal: { kind: 'precondition' } });
  });

  it('a full project takes no further member, and changes those that it has', () => {
    const subjects = Array.from({ length: MAX_MEMBERS }, (_, at) => `s${at}`);
    const full: ProjectState = { ...shop, members: new Map(subjects.map(each => [each, 'reader'])) };
    expect(setProjectMember(full, { subject: 'eva', role: 'member' })).toMatchObject({ refusal: { code: 'too-many' } });
    expect(setProjectMember(full, { subject: 's0', role: 'admin' }).ok).toBe(true);
  });
});
