import { getOrCreate, type AttachmentKind, type ContainerState } from '@stave/domain';

const none: ReadonlySet<string> = new Set();

/** A network or volume as containers name it, without regard to case. */
const keyOf = (kind: AttachmentKind, clusterId: string, name: string): string =>
  `${kind} ${clusterId} ${name.toLowerCase()}`;

/** The networks and volumes of each cluster by name, and the containers that name them, also those that wait for a node. */
export class AttachmentNames {
  private readonly ids = new Map<string, string>();
  private readonly users = new Map<string, Set<string>>();
  /** Networks and volumes that a container has named since they exist. */
  private readonly used = new Set<string>();
  readonly folded = { ids: this.ids, users: this.users, used: this.used };

  /** Returns the network or volume of this name that is not deleted. */
  idOf(kind: AttachmentKind, clusterId: string, name: string): string | undefined {
    return this.ids.get(keyOf(kind, clusterId, name));
  }

  /** The containers that name it; callers must not change the set. */
  usersOf(kind: AttachmentKind, clusterId: string, name: string): ReadonlySet<string> {
    return this.users.get(keyOf(kind, clusterId, name)) ?? none;
  }

  hasUsers(kind: AttachmentKind, clusterId: string, name: string): boolean {
    return this.users.has(keyOf(kind, clusterId, name));
  }

  wasUsed(id: string): boolean {
    return this.used.has(id);
  }

  put(kind: AttachmentKind, { id, clusterId, name }: { id: string; clusterId: string; name: string }): void {
    const key = keyOf(kind, clusterId, name);
    this.ids.set(key, id);
    if (this.users.has(key)) this.used.add(id);
  }

  remove(kind: AttachmentKind, { id, clusterId, name }: { id: string; clusterId: string; name: string }): void {
    const key = keyOf(kind, clusterId, name);
    if (this.ids.get(key) === id) this.ids.delete(key);
    this.used.delete(id);
  }

  /** Records that a container names its networks and volumes, or that it is deleted. Returns the ids of those that exist. */
  note(containerId: string, { declared, contents, deleted }: ContainerState): readonly string[] {
    const { clusterId, manages = [] } = declared;
    const named = [
      ...(contents.network && manages.includes('network') ? [keyOf('network', clusterId, contents.network.name)] : []),
      ...(manages.includes('volume') ? contents.volumes.map(({ name }) => keyOf('volume', clusterId, name)) : []),
    ];
    for (const key of named) {
      if (deleted) this.drop(key, containerId);
      else getOrCreate(this.users, key, () => new Set<string>()).add(containerId);
    }
    const ids = named.flatMap(key => this.ids.get(key) ?? []);
    if (!deleted) for (const id of ids) this.used.add(id);
    return ids;
  }

  private drop(key: string, containerId: string): void {
    const users = this.users.get(key);
    users?.delete(containerId);
    if (users?.size === 0) this.users.delete(key);
  }
}
