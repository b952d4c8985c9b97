import { raw, type BadInput } from './bad-input.case.js';

const group = { name: 'g', role: 'worker', flavor: { cpus: 1, memoryMb: 512 } };
const clusterWith = (member: object) => ({ options: { body: { driver: 'fake', ...member } } });
const groupWith = (member: object) => clusterWith({ nodeGroups: [{ ...group, ...member }] });
const longList = (length: number) => Array.from({ length }, (_, i) => ({ ...group, name: `g${i}` }));

/** Bodies with wrong members or values. */
export const badBodies: readonly BadInput[] = [
  {
    what: 'members of a wrong type, all named',
    ...clusterWith({ name: 5, labels: [], nodeGroups: {} }),
    status: 400,
    errors: [
      ['/name', 'wrong-type'],
      ['/labels', 'wrong-type'],
      ['/nodeGroups', 'wrong-type'],
    ],
  },
  {
    what: 'an unknown member',
    ...clusterWith({ colour: 'red' }),
    status: 400,
    errors: [['/colour', 'unknown-member']],
  },
  {
    what: 'more volumes of nodes than sixteen',
    ...groupWith({
      volumes: Array.from({ length: 17 }, (_, i) => ({ name: `v${i}`, sizeGb: 1, mountPath: `/v${i}` })),
    }),
    status: 400,
    errors: [['/nodeGroups/0/volumes', 'too-many']],
  },
  {
    what: 'a volume of nodes with wrong and missing members, all named',
    ...groupWith({ volumes: [{ name: '-', sizeGb: 0, mountPath: 'data' }, { colour: 'red' }] }),
    status: 400,
    errors: [
      ['/nodeGroups/0/volumes/0/name', 'malformed'],
      ['/nodeGroups/0/volumes/0/sizeGb', 'out-of-range'],
      ['/nodeGroups/0/volumes/0/mountPath', 'malformed'],
      ['/nodeGroups/0/volumes/1/name', 'required'],
      ['/nodeGroups/0/volumes/1/sizeGb', 'required'],
      ['/nodeGroups/0/volumes/1/mountPath', 'required'],
      ['/nodeGroups/0/volumes/1/colour', 'unknown-member'],
    ],
  },
  {
    what: 'an unknown member of a nested object',
    ...groupWith({ flavor: { cpus: 1, memoryMb: 512, gpus: 1 } }),
    status: 400,
    errors: [['/nodeGroups/0/flavor/gpus', 'unknown-member']],
  },
  {
    what: 'two sources, none, or an unknown one',
    ...clusterWith({
      from: { cluster: 'a', clusterTemplate: 'b' },
      nodeGroups: [
        { ...group, from: {} },
        { ...group, name: 'h', from: { cluster: 'a' } },
      ],
    }),
    status: 400,
    errors: [
      ['/from', 'too-many'],
      ['/nodeGroups/0/from', 'too-few'],
      ['/nodeGroups/1/from/cluster', 'unknown-member'],
    ],
  },
  {
    what: 'a negative count',
    ...groupWith({ count: -1 }),
    status: 400,
    errors: [['/nodeGroups/0/count', 'out-of-range']],
  },
  {
    what: 'a huge count',
    ...groupWith({ count: 10_001 }),
    status: 400,
    errors: [['/nodeGroups/0/count', 'out-of-range']],
  },
  {
    what: 'a count beyond the range of numbers',
    ...raw('{"driver":"fake","nodeGroups":[{"count":1e400}]}'),
    status: 400,
  },
  {
    what: 'a count with a fraction',
    ...groupWith({ count: 1.5 }),
    status: 400,
    errors: [['/nodeGroups/0/count', 'wrong-type']],
  },
  {
    what: 'a count as text',
    ...groupWith({ count: '3' }),
    status: 400,
    errors: [['/nodeGroups/0/count', 'wrong-type']],
  },
  {
    what: 'a flavor without CPUs and with too little memory',
    ...groupWith({ flavor: { cpus: 0, memoryMb: 63 } }),
    status: 400,
    errors: [
      ['/nodeGroups/0/flavor/cpus', 'out-of-range'],
      ['/nodeGroups/0/flavor/memoryMb', 'out-of-range'],
    ],
  },
  {
    what: '101 groups',
    ...clusterWith({ nodeGroups: longList(101) }),
    status: 400,
    errors: [['/nodeGroups', 'too-many']],
  },
  {
    what: '65 labels',
    ...clusterWith({ labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, 'x'])) }),
    status: 400,
    errors: [['/labels', 'too-many']],
  },
  {
    what: 'a label key with a dollar',
    ...clusterWith({ labels: { $where: 'x' } }),
    status: 400,
    errors: [['/labels/$where', 'malformed']],
  },
  {
    what: 'a name of 64 characters',
    ...clusterWith({ name: 'a'.repeat(64) }),
    status: 400,
    errors: [['/name', 'malformed']],
  },
  { what: 'an empty name', ...clusterWith({ name: '' }), status: 400, errors: [['/name', 'malformed']] },
  {
    what: 'a name that ends in a line break',
    ...clusterWith({ name: 'web\n' }),
    status: 400,
    errors: [['/name', 'malformed']],
  },
  {
    what: 'a name of full-width letters',
    ...clusterWith({ name: 'ｗｅｂ' }),
    status: 400,
    errors: [['/name', 'malformed']],
  },
  {
    what: 'a name with a Kelvin sign',
    ...clusterWith({ name: '\u212Aube' }),
    status: 400,
    errors: [['/name', 'malformed']],
  },
  {
    what: 'a name with a right-to-left mark',
    ...clusterWith({ name: 'we\u202Eb' }),
    status: 400,
    errors: [['/name', 'malformed']],
  },
  {
    what: 'half of a surrogate pair',
    ...raw('{"driver":"fake","description":"\\ud800"}'),
    status: 400,
    errors: [['/description', 'invalid-unicode']],
  },
  {
    what: 'a group of 256 code points',
    ...clusterWith({ conductorGroup: '😀'.repeat(256) }),
    status: 400,
    errors: [['/conductorGroup', 'too-long']],
  },
  {
    what: 'a malformed CIDR',
    ...clusterWith({ network: { cidr: '10.0.0.0/33' } }),
    status: 400,
    errors: [['/network/cidr', 'malformed']],
  },
];
