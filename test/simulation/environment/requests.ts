import type { ResourceName } from '@stave/contracts';
import type { ReferenceModel } from '../checks/reference-model.js';
import type { Action } from '../kernel/profile.js';
import type { Random } from '../kernel/random.js';

/** One command as a client sends it. */
export type Request = readonly [resource: ResourceName, verb: string, body: object];

/** The choices that requests are drawn from. */
interface Draw {
  readonly random: Random;
  readonly cluster: string;
  readonly group: string;
  readonly node: string;
  readonly container: string;
  readonly conductorGroup: string;
  /** A number from 1 to 3. */
  readonly some: number;
}

const onGroup =
  (action: string, more: object = {}) =>
  ({ group: id }: Draw): Request => ['node-group', 'action', { id, action, ...more }];

const onNode =
  (action: string, more: object = {}) =>
  ({ node: id }: Draw): Request => ['node', 'action', { id, action, ...more }];

const requests: Readonly<Record<Exclude<Action, 'cancelOperation'>, (draw: Draw) => Request>> = {
  resizeGroup: draw => onGroup('resize', { count: draw.random.int(0, 4) })(draw),
  patchGroup: ({ group: id, some }) => {
    const flavor = { cpus: some + 1, memoryMb: 2_048 };
    const patch = { flavor, updateStrategy: { maxSurge: some - 1, maxUnavailable: 1 } };
    return ['node-group', 'patch', { id, patch }];
  },
  relabelGroup: ({ group: id, some }) => ['node-group', 'patch', { id, patch: { labels: { some: String(some) } } }],
  moveGroup: ({ group: id, conductorGroup }) => ['node-group', 'patch', { id, patch: { conductorGroup } }],
  rebuildGroup: onGroup('rebuild'),
  rebootGroup: onGroup('reboot', { type: 'soft' }),
  retryGroup: onGroup('retry'),
  moveCluster: ({ cluster: id, conductorGroup }) => ['cluster', 'patch', { id, patch: { conductorGroup } }],
  removeNode: ({ node: id }) => ['node', 'delete', { id, lowerMin: true }],
  replaceNode: onNode('replace'),
  rebuildNode: onNode('rebuild'),
  rebootNode: onNode('reboot', { type: 'hard' }),
  drainNode: onNode('drain'),
  cordonNode: onNode('cordon'),
  uncordonNode: onNode('uncordon'),
  createContainer: () => ['container', 'create', { profile: 'web' }],
  createContainerWithVolume: ({ some }) => {
    const volumes = [{ name: `books-${some}`, mountPath: '/books' }];
    return ['container', 'create', { profile: 'web', volumes }];
  },
  deleteContainer: ({ container: id }) => ['container', 'delete', { id }],
  restartContainer: ({ container: id }) => ['container', 'action', { id, action: 'restart' }],
  stopContainer: ({ container: id, random }) => [
    'container',
    'action',
    { id, action: random.chance(0.5) ? 'stop' : 'start' },
  ],
};

/** Draws a request of this kind for existing resources. */
export function drawRequest(
  kind: Exclude<Action, 'cancelOperation'>,
  { clusters, groups, nodes, containers }: ReferenceModel,
  random: Random,
): Request {
  const pick = ({ all }: { readonly all: ReadonlyMap<string, { readonly deleted: boolean }> }): string =>
    random.pick([...all].filter(([, { deleted }]) => !deleted))?.[0] ?? 'none';
  return requests[kind]({
    random,
    cluster: pick(clusters),
    group: pick(groups),
    node: pick(nodes),
    container: pick(containers),
    conductorGroup: random.pick(['a', 'b']) ?? 'a',
    some: random.int(1, 3),
  });
}
