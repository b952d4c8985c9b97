// Which tests are of which tier, and which groups a run of all tiers leaves out.

/** Installs and starts a real OpenStack, which takes minutes: its tests run in their own tier only. */
const openStack = '/test/openstack/';
/** Boots real clusters, which needs the node image: nobody compiles Kubernetes for a test run. */
const kubernetes = 'k8s-docker/.*\\.int\\.spec\\.ts$|/test/docker/kubernetes';
/** Needs the compiled programs of the image of Kubernetes nodes, as above. */
const helm = '/test/deploy/api-server\\.int';
/** Installs all packages and builds everything again. */
const image = '/test/deploy/image\\.int';
/** Builds a former release, and replaces its processes one by one for minutes. */
const upgrade = '/test/upgrade/';
/** Every page of the console with axe in both themes at two widths, and its forms: a browser is busy for twenty minutes. */
const consoles = '/test/console/console-(pages|forms|work|waits|endings|releases)';
/** Many seeds of every profile, and a search for the bug where a check is taken out. */
const simulation = '/test/simulation/(long|mutations/)';
/** Kills at every step of a life, rounds of kills among scarce resources, and bad lines to far sites; the tiers of every run keep a short set of faults. */
const faults = '/test/(fault/(services/(every-step|rolling-every-step)|ledger/killed-.*)|distributed/far-sites)\\.e2e';
/** Every end-to-end suite on separate processes, on two kinds of stores; each run has those of work on infrastructure. */
const processes = '/test/e2e/distributed(-servers)?\\.e2e';
/** What a run of all tiers has no time for: each is a group of its own. */
const grouped = [openStack, kubernetes, helm, image, upgrade, consoles, simulation, faults, processes];
const docker = 'swarm-docker/.*\\.int\\.spec\\.ts$|/test/docker/';
/** Suites that take minutes or repeat the short ones on other servers. */
const long =
  '(/testing/src/servers/(nats-access|publication|mongo-replies)|/test/(fault/.*\\.e2e|ring/|console/|matrix/|walk/|docker/|distributed/.*\\.int|observability/.*\\.e2e|documents/.*\\.(int|e2e)|drivers/.*\\.int|schemathesis/|deploy/.*\\.e2e|e2e/(distributed|upgrade)|simulation/(long|mutations)))';
/** The tiers in order; Docker's run one file at a time, because they share the engine, and beside the others, because they mostly wait. */
export const tiers = [
  { title: 'unit and property tests', match: '\\.(unit|prop)\\.spec\\.ts$', ignore: [simulation] },
  {
    title: 'contracts and services',
    startsBeside: true,
    match: '\\.int\\.spec\\.ts$',
    ignore: ['/test/', 'swarm-docker', 'k8s-docker', long],
  },
  { title: 'product', match: '/test/.*\\.(int|e2e)\\.spec\\.ts$', ignore: [long, ...grouped] },
  {
    title: 'product, long suites',
    match: `${long}.*\\.spec\\.ts$`,
    ignore: ['/test/docker/', ...grouped],
    long: true,
  },
  { title: 'Docker', match: docker, ignore: grouped, serial: true, long: true, beside: true },
  { title: 'Console', group: 'console', match: `${consoles}.*\\.spec\\.ts$`, long: true },
  { title: 'Simulation', group: 'simulation', match: `${simulation}.*\\.spec\\.ts$`, long: true },
  { title: 'Faults', group: 'faults', match: `${faults}\\.spec\\.ts$`, long: true },
  { title: 'Separate processes', group: 'processes', match: `${processes}\\.spec\\.ts$`, long: true },
  {
    title: 'OpenStack',
    group: 'openstack',
    match: `${openStack}.*\\.spec\\.ts$`,
    serial: true,
    long: true,
    env: { STAVE_TEST_OPENSTACK: 'true' },
  },
  {
    title: 'Kubernetes',
    group: 'kubernetes',
    match: kubernetes,
    serial: true,
    long: true,
    env: { STAVE_TEST_KUBERNETES: 'true' },
  },
  {
    title: 'Helm on an API server',
    group: 'helm',
    match: helm,
    serial: true,
    long: true,
    env: { STAVE_TEST_HELM: 'true' },
  },
  { title: 'Image', group: 'image', match: image, serial: true, long: true, env: { STAVE_TEST_IMAGE: 'true' } },
  {
    title: 'Upgrade from the former release',
    group: 'upgrade',
    match: `${upgrade}.*\\.spec\\.ts$`,
    serial: true,
    long: true,
    env: { STAVE_TEST_UPGRADE: 'true' },
  },
];

/** Returns whether the tier runs the file, whose path begins with a slash. */
export const selects = ({ match, ignore = [] }, file) =>
  new RegExp(match).test(file) && !ignore.some(other => new RegExp(other).test(file));
