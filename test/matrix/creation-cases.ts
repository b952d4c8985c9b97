/** One attribute of one group, and everything that may say something of it. */
export interface CreationCase {
  readonly attribute: 'role' | 'flavor' | 'count' | 'labels' | 'image' | 'zones';
  /** What the cluster is made from; `existing`: the group is made in a cluster that is there. */
  readonly way: 'attributes' | 'clusterTemplate' | 'cluster' | 'existing';
  /** The entry of the request: attributes alone, or a `from` of its own. `none`: the group comes from the source as a whole. */
  readonly entry: 'attributes' | 'nodeGroupTemplate' | 'nodeGroup' | 'none';
  /** Whether the source of the cluster has a group of the same name. */
  readonly merged: boolean;
  readonly override: 'none' | 'equal' | 'other' | 'null';
  /** Of the source that the entry names, and of the group of the cluster's source under it. */
  readonly entryOpen: boolean;
  readonly entryMarked: boolean;
  readonly underOpen: boolean;
  readonly underMarked: boolean;
  /** Whether the cluster has a default for the attribute. */
  readonly defaults: boolean;
  /** Whether the request gives the driver, where its source does not. */
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

/** What a request can say; what is left out would be the same case again. */
function possible(c: CreationCase): boolean {
  const hasSource = c.way === 'clusterTemplate' || c.way === 'cluster';
  const hasOwn = c.entry === 'nodeGroupTemplate' || c.entry === 'nodeGroup';
  const living = (kind: string): boolean => kind === 'nodeGroup' || kind === 'cluster';
  return (
    (!c.merged || hasSource) &&
    (c.entry !== 'none' || (c.merged && c.override === 'none')) &&
    (!(c.entryOpen || c.entryMarked) || hasOwn) &&
    (!(c.underOpen || c.underMarked) || c.merged) &&
    // only templates mark; what lives has all that it needs
    !(c.entryMarked && living(c.entry)) &&
    !(c.underMarked && living(c.way)) &&
    !(c.entryOpen && living(c.entry) && always.includes(c.attribute)) &&
    !(c.underOpen && living(c.way) && always.includes(c.attribute)) &&
    (c.override !== 'null' || nullable.includes(c.attribute)) &&
    (!c.defaults || defaultable.includes(c.attribute)) &&
    (c.driver || ((c.way === 'attributes' || c.way === 'clusterTemplate') && c.override === 'none'))
  );
}

/** Every combination that is possible. */
export const creationCases = (): readonly CreationCase[] =>
  Object.entries(dimensions)
    .reduce<object[]>((some, [name, values]) => some.flatMap(c => values.map(value => ({ ...c, [name]: value }))), [{}])
    .map(c => c as CreationCase)
    .filter(possible);
