/** What each check of the kit is there for, and what to do when it fails; by the name of the check. */
export const advice: Readonly<Record<string, string>> = {
  'creates exactly one unit, which list shows':
    'Label what you make with installation, resource, cluster and generation, and let `list` read these labels back.',
  'adopts what a repeated create finds':
    'A create comes again after a crash. Look for a unit of this resource and generation first, and answer that one.',
  'deletes what is gone, and what never was': 'A delete that finds nothing has succeeded.',
  'makes one unit for two creates at once':
    'Two conductors may believe they hold the task. Name units by resource id and generation, so that the infrastructure takes only one.',
  'converges when delete overtakes create': 'Read the infrastructure in every call, never what an earlier call knew.',
  'removes lower generations before it creates':
    'A higher generation replaces the lower ones: remove them first, then make the new unit, with an id of its own.',
  'never touches a higher generation':
    'A late call of an old generation must leave the newer unit alone: filter by generation before you remove or change; create throws `conflict`.',
  'removes one unit by its infrastructure id, twice':
    '`remove` takes exactly the unit of that infrastructure id, and succeeds when it is gone.',
  'repeats a create that crashed before any of its changes':
    'Call `ctx.checkpoint()` right before EVERY change. After a crash at any of them, the same create again must end with one running unit.',
  'repeats a replacement that crashed before any of its changes':
    'As for create, with an older generation there: whatever is half done must be finished or removed by the repeat.',
  'repeats a delete that crashed before any of its changes':
    'As for create: call the checkpoint before each removal, and find what is left when the delete comes again.',
  'starts nothing when its signal has fired': 'Look at `ctx.signal` before each change, and throw.',
  'stops at its signal and can be repeated': 'When the signal fires in the middle, stop; the repeat tidies up.',
  'runs nodes of two flavors and zones in one cluster':
    'Every node has its own flavor and zone. `capacity` is what containers may use of it: more for the larger one, never above the flavor.',
  'acts in place on a node of a lower generation':
    'Update, drain and reboots raise the generation without a new unit: act on the newest unit up to that generation, and keep its id.',
  'knows what is not there': '`inspect` answers undefined; a reboot of what is not there throws `notFound`.',
  'updates and inspects the cluster in place': 'An update of the cluster keeps its infrastructure id.',
  'lists by cluster, and again after it is opened anew':
    'Another conductor must see the same: keep nothing in memory that the labels on the infrastructure could say.',
  'changes limits and restart policy in place, twice':
    '`update` acts on the unit that stands, of whatever generation up to that of the spec; it makes no new one.',
  'stops, starts and restarts a container, each twice': 'Each of these again changes nothing; `list` shows the state.',
  'answers logs and stats': 'At most `tail` lines; stats with numbers and an ISO 8601 time.',
  'follows logs until its signal fires, and until the container ends':
    '`follow` (optional) ends without an error when the signal fires and when the container ends, and throws `notFound` before its first text.',
  'measures nothing of a container that does not run':
    'Throw `conflict` with the code `not-running`, not zeros: nothing is known of its use.',
  'refuses a container on a node that is not there': 'Throw `notFound` (or `conflict`), and leave nothing.',
  'refuses to stop a container that is not there': 'Throw `notFound`.',
  'loses the containers of a node with the node': 'Removing a node removes what runs on it.',
  'has told no secret':
    'A value of a container environment, of the secret store or of the credentials is in a log line or a progress step.',
  'leaves nothing behind': 'After the last delete `list` is empty: what belongs to a unit alone goes with it.',
};
