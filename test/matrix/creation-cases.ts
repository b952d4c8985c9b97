/** One attribute of one group, and every place that may set its value. */
export interface CreationCase {
  readonly attribute: 'role' | 'flavor' | 'count' | 'labels' | 'image' | 'zones';
  /** The source of the cluster; `existing`: the group is created in an existing cluster. */
  readonly way: 'attributes' | 'clusterTemplate' | 'cluster' | 'existing';
  /**
   * The group in the request: attributes only, or with its own `from`; `none`: the request has no such group, and the
   * cluster's source provides it.
   */
  readonly entry: 'attributes' | 'nodeGroupTemplate' | 'nodeGroup' | 'none';
  /** Whether the source of the cluster has a group of the same name. */
  readonly merged: boolean;
  readonly override: 'none' | 'equal' | 'other' | 'null';
  /**
   * Whether the source of the group (`entry`) or of the cluster (`under`) has no value (open) or an immutable one
   * (marked).
   */
  readonly entryOpen: boolean;
  readonly entryMarked: boolean;
  readonly underOpen: boolean;
  readonly underMarked: boolean;
  /** Whether the cluster has a default value for the attribute. */
  readonly defaults: boolean;
  /** Whether the driver is known; without it the request must be refused. */
  readonly driver: boolean;
}

const both = [false, true];
const dimensions: { readonly [K in keyof CreationCase]: readonly CreationCase[K][] } = {
  attribute: ['role', 'flavor', 'count', 'labels', 'image', 'zones'],
  way: ['attributes', 'clusterTemplate', 'cluster', 'existing'],
  entry: ['attributes', 'nodeGroupTemplate', 'nodeGroup', 'none'],
  merged: both,
  override: ['none', 'equal', 'other', 'null'],
  entryOpen: both,
  entryMarked: both,
  underOpen: both,
  underMarked: both,
  defaults: both,
  driver: both,
};

const nullable: readonly string[] = ['flavor', 'image', 'zones'];
export const defaultable: readonly string[] = ['flavor', 'image', 'zones'];
const always: readonly string[] = ['role', 'flavor'];

/** Returns whether the case can be expressed in a request and differs from all others. */
function possible(c: CreationCase): boolean {
  const hasSource = c.way === 'clusterTemplate' || c.way === 'cluster';
  const hasOwn = c.entry === 'nodeGroupTemplate' || c.entry === 'nodeGroup';
  const isExisting = (kind: string): boolean => kind === 'nodeGroup' || kind === 'cluster';
  return (
    (!c.merged || hasSource) &&
    (c.entry !== 'none' || (c.merged && c.override === 'none')) &&
    (!(c.entryOpen || c.entryMarked) || hasOwn) &&
    (!(c.underOpen || c.underMarked) || c.merged) &&
    // only templates mark attributes as immutable; existing resources have every required attribute
    !(c.entryMarked && isExisting(c.entry)) &&
    !(c.underMarked && isExisting(c.way)) &&
    !(c.entryOpen && isExisting(c.entry) && always.includes(c.attribute)) &&
    !(c.underOpen && isExisting(c.way) && always.includes(c.attribute)) &&
    (c.override !== 'null' || nullable.includes(c.attribute)) &&
    (!c.defaults || defaultable.includes(c.attribute)) &&
    (c.driver || ((c.way === 'attributes' || c.way === 'clusterTemplate') && c.override === 'none'))
  );
}

/** Returns every possible combination. */
export const creationCases = (): readonly CreationCase[] =>
  Object.entries(dimensions)
    .reduce<object[]>((some, [name, values]) => some.flatMap(c => values.map(value => ({ ...c, [name]: value }))), [{}])
    .map(c => c as CreationCase)
    .filter(possible);
