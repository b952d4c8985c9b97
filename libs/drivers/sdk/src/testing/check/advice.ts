/** Explains, by the title of each check of the kit, what the check is for and how to repair a driver that fails it. */
export const advice: Readonly<Record<string, string>> = {
  'creates exactly one unit, and lists it':
    'Label every unit with installation, resource, cluster and generation, and build the list from these labels.',
  'adopts the existing unit when a create is repeated':
    'A create is repeated after a crash. Look for a unit of this resource and generation first, and return it.',
  'answers its operations as its manifest declares them':
    'Operations that read and need no parameters are called, and those with an example in `operations` of driver.conformance.json. An answer fits its schema and its size, arrives before the deadline, and a GET changes nothing.',
  'documents the image of nodes, and has a script that makes it':
    'A folder `image` has a README.md, and a build.sh that can be executed: it gets or builds the image, and does nothing where it is there.',
  'deletes a resource that does not exist without an error': 'A delete that finds nothing succeeds.',
  'creates one unit when two creates run at the same time':
    'Two conductors may hold the same task for a moment. Derive the name of a unit from resource id and generation, so that the infrastructure accepts only one.',
  'converges when a delete overtakes a create':
    'Read the infrastructure in every call; do not rely on results of earlier calls.',
  'removes lower generations before it creates a unit':
    'A higher generation replaces lower ones: remove those first, then create the new unit with an id of its own.',
  'never changes a unit of a higher generation':
    'A late call of an old generation must not change the newer unit: filter by generation before every change; create throws `conflict`.',
  'removes a unit by its infrastructure id, and succeeds when it is repeated':
    '`remove` removes exactly the unit with that infrastructure id, and succeeds when the unit does not exist.',
  'completes a create that crashed before any of its changes':
    'Call `ctx.checkpoint()` immediately before EVERY change. After a crash at any of them, a repeated create must result in one running unit.',
  'completes a replacement that crashed before any of its changes':
    'The older unit may still exist after a crash: the repeated call must complete or remove everything that is incomplete.',
  'completes a delete that crashed before any of its changes':
    'Call the checkpoint before each removal, and find the remaining units when the delete is repeated.',
  'starts no change when its signal has fired': 'Check `ctx.signal` before each change, and throw.',
  'stops at its signal and can be repeated':
    'Stop when the signal fires during a call; the repeated call completes the work.',
  'runs nodes of two flavors and zones in one cluster':
    'Every node has its own flavor and zone. `capacity` is the part that containers may use: more for the larger node, and never above the flavor.',
  'builds a node with its volumes once, and removes them with it':
    'The volumes of a node are part of it: make them before it, find them again when a create is repeated, and remove them with it.',
  'computes the capacity of a node before it is built':
    '`expectedCapacity`, where there is one, returns the `capacity` that a node of the flavor has once it is built.',
  'changes a node of a lower generation in place':
    'Update, drain and reboots raise the generation without a new unit: change the newest unit up to that generation, and keep its id.',
  'reports a missing node or cluster': '`inspect` returns undefined; a reboot of a missing node throws `notFound`.',
  'updates and inspects the cluster in place': 'An update of a cluster keeps its infrastructure id.',
  'reports a cluster whose unit vanished, which the core then creates again':
    '`cluster.update` throws `notFound` when the cluster has no unit, and creates none: the core then calls `cluster.create` with the same specification, and `cluster.update` once more.',
  'rebuilds the nodes of a cluster whose unit vanished and was created again':
    'After its shared part was lost and created again, `node.rebuild` replaces a node that still uses what is gone.',
  'rebuilds and reboots a cluster with all its nodes, where it has the methods':
    '`cluster.rebuild`, `softReboot` and `hardReboot` are optional: they leave each node and container with its generation and infrastructure id, and a reboot of a missing cluster throws `notFound`.',
  'lists the units of one cluster, also by another instance of the driver':
    'Another conductor must see the same units: keep nothing in memory that belongs in the labels on the infrastructure.',
  'changes limits and restart policy of a container in place':
    '`update` changes the newest unit up to the generation of the specification; it creates no new unit.',
  'stops, starts and restarts a container, each twice':
    'A repeated action changes nothing; `list` shows the current state.',
  'has every module that its manifest declares':
    'A capability promises a member of the driver (`api`, `monitor`, `scale`, `containers` …): write it, or remove the capability.',
  'has every operation that its manifest declares':
    'Each of `operations` in the manifest is answered by the member of `api` with its name.',
  'reports the utilisation of a running node':
    '`monitor.usage` returns one sample for every running node with the labels of this installation, in CPU cores and MiB.',
  'refuses flavors that its infrastructure does not have, where it knows any by name':
    '`flavor` throws a `DriverError` of class `permanent` with the code `flavor-unknown`, and returns `name`, `cpus` and `memoryMb` of one that exists.',
  'answers which nodes go first with ids, the same to the same question':
    '`scale.removalOrder` answers ids of the nodes that it was given. Plans ask it, too, and are compared with what happens.',
  'reports the same identity of its infrastructure every time, where it knows one':
    'Return an id that the engine or cloud stores itself, such as the id of a Docker Engine, and none where there is no such id.',
  'returns logs and stats of a container':
    'Return at most `tail` lines of logs; stats contain numbers and an ISO 8601 time.',
  'follows logs until its signal fires, and until the container ends':
    '`follow` (optional) ends without an error when the signal fires or the container ends, and throws `notFound` before its first text.',
  'refuses stats of a container that does not run':
    'Throw `conflict` with the code `not-running`: the utilisation is unknown, it is not zero.',
  'refuses a container on a missing node': 'Throw `notFound` (or `conflict`), and leave no unit.',
  'refuses to stop a missing container': 'Throw `notFound`.',
  'removes the containers of a node with the node': 'The removal of a node removes every container on it.',
  'appears with its first container, and leaves with the last one':
    'Create what the node lacks of `attachments` before the container, by the rules of the lifecycle of networks or volumes; after a delete remove what `leaving` names unless another container uses it.',
  'is not deleted while a container uses it':
    'Throw `conflict` while a container is attached to the network or volume.',
  'of node scope exists on each node, and leaves with its node':
    'Such a network or volume has a unit on each node: find it by resource, generation and `nodeId`, and list it with `nodeId`.',
  'is refused where its driver does not exist':
    'Throw `permanent` with the code `plugin-missing` and the name of the driver as `plugin`, and leave nothing behind.',
  'examines an engine without changing it':
    '`machines.probe` only reads: it answers the same twice, and what `clean` finds on an engine without nodes.',
  'makes a node of a machine once, and leaves the engine as it was':
    'A node with `machine` uses that engine and no other. Its delete and `clean` leave what `probe` found before.',
  'removes with a cleaning what a node left that was never deleted':
    '`machines.clean` finds by its labels what nodes of this installation left on the engine, and removes that and nothing else.',
  'reveals no secret in logs and progress':
    "No value of a container's environment, of the secret store or of the credentials may appear in a log line or a progress step.",
  'leaves no unit behind':
    'After the last delete `list` is empty: everything that belongs to a unit alone is removed with it.',
};
