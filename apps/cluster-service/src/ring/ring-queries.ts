import { RefusedError, type Actor } from '@stave/contracts';
import { notFound, foldGroup, manifestOf, omitUndefined, parseRingKey, slotOf, type LiveMember } from '@stave/domain';
import { Injectable } from '@nestjs/common';
import { mayTouch, RingFollower } from '@stave/service-kit';
import { HeartbeatLog } from './heartbeat-log.js';
import { ResourceRouting } from './resource-routing.js';
import { StaleReports } from './stale-reports.js';

type View = Readonly<Record<string, unknown>> & { readonly id: string };

/** Shows current conductors, conductor groups, drivers and rings; they are telemetry and have no read model. */
@Injectable()
export class RingQueries {
  constructor(
    private readonly follower: RingFollower,
    private readonly heartbeats: HeartbeatLog,
    private readonly stale: StaleReports,
    private readonly routing: ResourceRouting,
  ) {}

  conductors(): readonly View[] {
    return this.members().map(m => this.conductor(m));
  }

  oneConductor(id: string): View {
    const member = this.members().find(m => m.conductor === id);
    if (!member) throw new RefusedError(notFound('the conductor'));
    return this.conductor(member);
  }

  groups(): readonly View[] {
    const groups = new Map<string, LiveMember[]>();
    for (const member of this.members()) {
      const key = foldGroup(member.group);
      groups.set(key, [...(groups.get(key) ?? []), member]);
    }
    return [...groups].map(([name, members]) => ({
      id: name,
      name,
      conductors: members.map(m => m.conductor),
      drivers: [...new Set(members.flatMap(m => m.drivers.map(d => d.name)))].sort(),
    }));
  }

  drivers(): readonly View[] {
    return this.follower.view
      .offered()
      .map(({ driver, versions, groups }) => ({ id: driver, name: driver, versions, conductorGroups: groups }));
  }

  driver(name: string, version?: string): object {
    const offered = this.follower.view.offered().find(d => d.driver === name);
    const chosen = version ?? offered?.versions[0];
    const manifest =
      offered && chosen !== undefined && offered.versions.includes(chosen)
        ? manifestOf(this.follower.view, name, chosen)
        : undefined;
    if (!offered || !manifest) throw new RefusedError(notFound('the driver'));
    return {
      id: name,
      name,
      versions: offered.versions,
      conductorGroups: offered.groups,
      version: chosen,
      manifest,
      options: manifest['options'] ?? {},
    };
  }

  rings(): readonly View[] {
    const { view } = this.follower;
    return view.ringKeys().map(key => this.ring(key));
  }

  /** Finds a ring by its key or its token. */
  ring(keyOrToken: string): View {
    const { view } = this.follower;
    const key = view.ringKeys().find(known => known === keyOrToken || view.tokenOf(known) === keyOrToken);
    if (key === undefined) throw new RefusedError(notFound('the ring'));
    const { driver, group } = parseRingKey(key);
    const versions = view.offered().find(d => d.driver === driver)?.versions ?? [];
    const members = view.members();
    const tables = versions.map(version => ({ version, slots: shares(view.tableFor(key, version).owners) }));
    return {
      id: key,
      name: key,
      key,
      token: view.tokenOf(key),
      driver,
      ...omitUndefined({ group }),
      mode: view.mode,
      pinnedBy: members.filter(m => m.keyMode === 'pinned').map(m => m.conductor),
      services: members.filter(m => m.kind === 'service').map(m => this.service(m)),
      epoch: view.epoch,
      tables,
    };
  }

  /** Finds the conductor of a resource. Throws RefusedError `not-found`, also for resources of other projects. */
  async lookup(actor: Actor, resource: string): Promise<object> {
    const routing = await this.routing.of(resource);
    if (!routing || !mayTouch(actor, routing.projectId)) throw new RefusedError(notFound('the resource'));
    const { view } = this.follower;
    const key = view.keyFor(routing.group, routing.driver);
    const conductorId = view.ownerOf(key, routing.version, resource) ?? null;
    const { epoch } = view;
    const { claim } = routing;
    return { key, token: view.tokenOf(key), slot: slotOf(resource), conductorId, epoch, ...omitUndefined({ claim }) };
  }

  private members(): readonly LiveMember[] {
    return this.follower.view.members().filter(m => m.kind === 'conductor');
  }

  private conductor(member: LiveMember): View {
    return {
      ...this.service(member),
      name: member.conductor,
      group: member.group,
      drivers: member.drivers.map(({ name, version }) => ({ name, version })),
      state: member.drainingUntil === undefined ? 'LIVE' : 'DRAINING',
      session: member.session,
      weight: member.weight,
      load: this.heartbeats.load(member.session),
      ...this.heartbeats.suspected(member.session),
      staleReports: this.stale.of(member.conductor),
    };
  }

  /** Services compute keys too, and may pin them. */
  private service(member: LiveMember): View {
    return {
      id: member.conductor,
      release: member.release,
      keyMode: member.keyMode,
      lastHeartbeatAt: this.heartbeats.lastTime(member.session) ?? null,
    };
  }
}

function shares(owners: readonly (string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const owner of owners) if (owner !== undefined) counts[owner] = (counts[owner] ?? 0) + 1;
  return counts;
}
