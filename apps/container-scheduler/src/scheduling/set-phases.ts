import { setMemberView, type ContainerState } from '@stave/domain';
import type { Folded } from '@stave/service-kit';

/** The members of each set by what their set has to know of them, counted with each event, so that no question is asked of all members. */
export class SetPhases implements Folded {
  private readonly phases = new Map<string, string>();
  private readonly active = new Map<string, number>();

  readonly folded = { phases: this.phases, active: this.active };

  /** Returns how many members of the set are active. */
  activeIn(setId: string): number {
    return this.active.get(setId) ?? 0;
  }

  /** Notes the state of a container. Returns whether its set has to be reconciled. */
  note(id: string, state: ContainerState): boolean {
    const { setId } = state.declared;
    if (setId === undefined) return false;
    const before = this.phases.get(id);
    const after = phaseOf(state);
    if (before === after) return false;
    this.phases.set(id, after);
    this.count(setId, Number(isActive(after)) - Number(isActive(before)));
    return true;
  }

  forget(id: string): void {
    this.phases.delete(id);
  }

  private count(setId: string, change: number): void {
    const count = this.activeIn(setId) + change;
    if (count === 0) this.active.delete(setId);
    else this.active.set(setId, count);
  }
}

const isActive = (phase: string | undefined): boolean => phase?.startsWith(ACTIVE) === true;
const ACTIVE = 'active';

function phaseOf(state: ContainerState): string {
  const { deleted, activeSince, failed, waiting, stuck } = setMemberView(state);
  if (deleted) return 'deleted';
  if (activeSince !== undefined) return `${ACTIVE} ${activeSince}`;
  if (failed) return 'failed';
  return stuck === undefined ? (waiting?.code ?? 'leaving') : 'stuck';
}
