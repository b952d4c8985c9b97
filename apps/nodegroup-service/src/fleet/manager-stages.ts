import type { Folded } from '@stave/service-kit';

/** How far the managers of a cluster are of which none is ready: none is being built, or a conductor builds at least one. */
export type ManagerStage = 'absent' | 'starting';

/** The stages of the clusters whose managers others wait for. */
export class ManagerStages implements Folded {
  private readonly stages = new Map<string, ManagerStage>();

  readonly folded = { stages: this.stages };

  /** Returns undefined for a cluster that has a ready manager, or no node group of managers. */
  of(clusterId: string): ManagerStage | undefined {
    return this.stages.get(clusterId);
  }

  /** Notes the stage of a cluster. Returns whether it changed. */
  note(clusterId: string, stage: ManagerStage | undefined): boolean {
    if (stage === this.stages.get(clusterId)) return false;
    if (stage) this.stages.set(clusterId, stage);
    else this.stages.delete(clusterId);
    return true;
  }
}
