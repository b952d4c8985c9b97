import fc from 'fast-check';

const label = fc.constantFrom('web', 'db', 'a b', '', 'ü');
const labels = fc.dictionary(fc.constantFrom('tier', 'stage', 'owner.example/team'), label, { maxKeys: 3 });
const some = <T>(value: fc.Arbitrary<T>, nil?: undefined): fc.Arbitrary<T | undefined> => fc.option(value, { nil });
const names = (prefix: string, most: number): fc.Arbitrary<string[]> =>
  fc.integer({ min: 0, max: most }).map(count => Array.from({ length: count }, (_, at) => `${prefix}${at}`));

const flavors = [
  { cpus: 4, memoryMb: 4096 },
  { name: 'medium', cpus: 2, memoryMb: 2048, diskGb: 20 },
  { name: 'large', cpus: 8, memoryMb: 8192 },
];
const taint = fc.record({
  key: fc.constantFrom('a', 'b'),
  value: some(label),
  effect: fc.constant('PreferNoSchedule'),
});
const attachments = (policies: readonly string[]) =>
  fc.subarray([...policies]).chain(chosen =>
    fc.tuple(
      ...chosen.map(policy =>
        fc.record({
          policy: fc.constant(policy),
          enabled: some(fc.boolean()),
          priority: some(fc.integer({ min: 0, max: 9 })),
        }),
      ),
    ),
  );

/** What is scaled by what waits needs an upper limit. */
const MOST_NODES = 5;

const group = (name: string, policies: readonly string[]) =>
  fc
    .record({
      name: fc.constant(name),
      role: fc.constant('worker'),
      count: fc.integer({ min: 0, max: 2 }),
      maxCount: some(fc.integer({ min: 2, max: 5 })),
      flavor: fc.constantFrom(...flavors),
      labels: some(labels),
      taints: some(fc.uniqueArray(taint, { maxLength: 2, selector: ({ key }) => key })),
      zones: some(fc.subarray(['a', 'b', 'c'])),
      image: some(fc.constantFrom('img-1', 'img-2')),
      updateStrategy: some(fc.constantFrom({ maxSurge: 1, maxUnavailable: 0 }, { maxSurge: '50%' })),
      autoscaling: some(fc.constantFrom(null, { enabled: true, priority: 3 }, { enabled: false })),
      policies: some(attachments(policies)),
    })
    .map(made => (made.autoscaling?.enabled ? { ...made, maxCount: made.maxCount ?? MOST_NODES } : made));

const network = (name: string) =>
  fc.record({ name: fc.constant(name), labels: some(labels), autoRemove: some(fc.boolean()) });
const volume = (name: string) =>
  fc.record({
    name: fc.constant(name),
    labels: some(labels),
    accessMode: some(fc.constantFrom('shared', 'exclusive')),
    reclaimPolicy: some(fc.constantFrom('retain', 'delete')),
  });

const profile = (name: string, hostCluster: string, inside: readonly string[]) =>
  fc.record({
    name: fc.constant(name),
    hostCluster: fc.constant(hostCluster),
    image: fc.constantFrom('web:1', 'registry.example/db@sha256:' + 'a'.repeat(64)),
    description: some(fc.constantFrom('', 'yes', '1: "two"')),
    resources: fc.record({ cpus: fc.constantFrom(0.1, 0.25), memoryMb: fc.constantFrom(32, 64) }),
    command: some(fc.constantFrom([], ['sh', '-c', 'echo "$A"\n'])),
    env: some(fc.dictionary(fc.constantFrom('MODE', 'NO'), fc.constantFrom('on', 'null', '# 1', ''), { maxKeys: 2 })),
    ports: some(fc.constantFrom([], [{ containerPort: 80 }, { containerPort: 53, protocol: 'udp' }])),
    network: some(fc.constantFrom(...(inside.length > 0 ? inside : ['ad-hoc'])).map(net => ({ name: net }))),
    restartPolicy: some(fc.constantFrom('no', 'always', 'on-failure')),
    healthCheck: some(fc.constant({ command: ['true'], intervalSeconds: 5 })),
    labels: some(labels),
    tolerations: some(fc.constantFrom([], [{ key: 'a' }])),
    movable: some(fc.boolean()),
  });

const set = (name: string, profiles: readonly string[], policies: readonly string[]) =>
  fc.record({
    name: fc.constant(name),
    profile: fc.constantFrom(...profiles),
    desired: fc.integer({ min: 0, max: 2 }),
    max: some(fc.integer({ min: 2, max: 5 })),
    overrides: some(fc.constantFrom({}, { env: { EXTRA: 'yes' } })),
    updateStrategy: some(fc.constantFrom({ maxSurge: 1 }, { maxUnavailable: 1, maxSurge: 0 })),
    policies: some(attachments(policies)),
  });

/** Policies by the targets that they have an effect on. */
const policies = (of: string) => ({
  both: [
    { name: `${of}-oldest`, type: 'deletion', properties: { criteria: 'oldest', graceSeconds: 3 } },
    { name: `${of}-batch`, type: 'batch', properties: { maxBatch: 1, pauseSeconds: 0 } },
  ],
  cluster: [{ name: `${of}-spread`, type: 'placement', properties: { scorers: { leastMemory: 3, spread: 2 } } }],
});
const namesOf = (items: readonly { readonly name: string }[]): string[] => items.map(({ name }) => name);

/** A fleet file with one cluster. Every name that is unique in a project begins with `of`. */
export function randomFleet(of: string): fc.Arbitrary<Record<string, unknown>> {
  const { both, cluster: ofClusters } = policies(of);
  return fc
    .tuple(names('g', 2), names('net', 2), names('vol', 2), names(`${of}-p`, 2), names(`${of}-s`, 2))
    .chain(([groups, networks, volumes, profiles, sets]) => {
      const list = <T>(items: readonly string[], each: (name: string) => fc.Arbitrary<T>) =>
        fc.tuple(...items.map(each));
      const cluster = fc.record({
        name: fc.constant(of),
        driver: fc.constant('fake'),
        description: some(fc.constantFrom('', 'no', '- 1')),
        labels: some(labels),
        defaults: some(
          fc.record({ flavor: fc.constantFrom(...flavors), labels: some(labels) }).map(({ flavor }) => ({ flavor })),
        ),
        nodeGroups: list(['workers', ...groups], name => group(name, namesOf(both))),
        networks: list(networks, network),
        volumes: list(volumes, volume),
        policies: some(attachments(namesOf(ofClusters))),
      });
      return fc.record({
        policies: fc.constant([...both, ...ofClusters]),
        clusters: fc.tuple(cluster),
        containerProfiles: list(profiles, name => profile(name, of, networks)),
        containerSets: profiles.length === 0 ? fc.constant([]) : list(sets, name => set(name, profiles, namesOf(both))),
      });
    });
}
