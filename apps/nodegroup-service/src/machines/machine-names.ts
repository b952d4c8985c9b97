import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { conflict, isUuid, notFound, type MachineDeclaration, type MachineState } from '@stave/domain';
import { Feed, NameIndex, Names, type EventContext, type Named, type Search } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';

const NAMES = 'machine';
const URLS = 'machine-url';
const ENGINES = 'machine-engine';

/** The names and engines of machines, each of which the installation has once. */
@Injectable()
export class MachineNames {
  private readonly byName: Pick<NameIndex<MachineState>, 'idsOf'>;

  constructor(
    private readonly names: Names,
    private readonly projection: FleetProjection,
    private readonly feed: Feed,
  ) {
    this.byName = new NameIndex(projection.machines, ({ declared }) => declared.name);
  }

  /** Finds a machine by id or name. Throws RefusedError `not-found`. */
  async find({ asKnown = false }: Search, ref: string): Promise<Named<MachineState>> {
    const { machines } = this.projection;
    if (!asKnown && !isUuid(ref)) await this.feed.caughtUp();
    const ids = isUuid(ref) ? [ref] : this.byName.idsOf(ref);
    for (const id of ids) {
      const state = asKnown ? machines.get(id) : (await machines.lookUp(id)).state;
      if (state && !state.deleted) return { id, state };
    }
    throw new RefusedError(notFound('the machine'));
  }

  /** Reserves name and URL for a machine that is created next with this context. Throws RefusedError `name-taken` or `engine-taken`. */
  async reserve({ id, name, engine }: MachineDeclaration, context: EventContext): Promise<void> {
    await this.names.reserveAhead(NAMES, name, this.owner(id), context);
    await this.orEngineTaken(() => this.names.reserveAhead(URLS, addressOf(engine.url), this.owner(id), context));
  }

  /** Reserves the engine itself, which may be reached by several URLs. Throws RefusedError `engine-taken`. */
  reserveEngine(id: string, engineId: string, context: EventContext): Promise<void> {
    return this.orEngineTaken(() => this.names.reserve(ENGINES, engineId, this.owner(id), context));
  }

  /** Frees everything that a machine which is deleted had. Idempotent. */
  async release({ declared, probe }: MachineState, context: EventContext): Promise<void> {
    const { id, name, engine } = declared;
    await this.names.release(NAMES, name, id, context);
    await this.names.release(URLS, addressOf(engine.url), id, context);
    if (probe) await this.names.release(ENGINES, probe.engineId, id, context);
  }

  private owner(targetId: string) {
    return { targetId, targetStream: this.projection.machines.stream(targetId) };
  }

  private async orEngineTaken(reserve: () => Promise<void>): Promise<void> {
    try {
      await reserve();
    } catch (error) {
      if (!(error instanceof RefusedError) || error.error.code !== 'name-taken') throw error;
      const taken = conflict('engine-taken', 'another machine has this engine');
      const errors = [{ pointer: '/engine/url', code: taken.code, detail: taken.detail }];
      throw new RefusedError({ ...taken, errors });
    }
  }
}

/** The URL without what a driver may read from its query. */
const addressOf = (url: string): string => url.replace(/[?#].*$/s, '');
