import { FILTERS } from './filters.js';
import type { FilterCode, NodeView, PlacementRequest } from './model.js';
import { NodeTable } from './node-table.js';
import { node, request } from './placement.fixture.js';

function filterOf(code: FilterCode) {
  const filter = FILTERS.find(f => f.code === code);
  if (!filter) throw new Error(`no filter ${code}`);
  return filter;
}

const refuses = (code: FilterCode, wanted: PlacementRequest, view: NodeView): boolean =>
  filterOf(code).refuses(wanted, new NodeTable([view]))(0);

interface Example {
  readonly wanted: PlacementRequest;
  readonly refused: NodeView;
  readonly accepted: NodeView;
  readonly sentence: string;
  readonly remedy: { readonly cost: number; readonly sentence: string };
}

const gpu = (value: string) => node({ taints: [{ key: 'gpu', value, effect: 'NoSchedule' }] });
const examples: { readonly [C in FilterCode]: Example } = {
  NOT_HOST_NODE: {
    wanted: request({ hostNode: 'n1' }),
    refused: node({ id: 'other', name: 'other' }),
    accepted: node({ id: 'x', name: 'n1' }),
    sentence: 'The request asks for the node n1.',
    remedy: { cost: 10, sentence: 'ask for no certain node (hostNode)' },
  },
  REGION_MISMATCH: {
    wanted: request({ region: 'a' }),
    refused: node({ region: 'b' }),
    accepted: node({ region: 'a' }),
    sentence: 'The node is not in region a.',
    remedy: { cost: 6, sentence: 'allow region b' },
  },
  ZONE_MISMATCH: {
    wanted: request({ zone: 'a' }),
    refused: node({ zone: 'b' }),
    accepted: node({ zone: 'a' }),
    sentence: 'The node is not in zone a.',
    remedy: { cost: 5, sentence: 'allow zone b' },
  },
  LABELS_MISMATCH: {
    wanted: request({ nodeSelector: { disk: 'ssd', gpu: 'yes' } }),
    refused: node({ labels: { disk: 'hdd', gpu: 'yes' } }),
    accepted: node({ labels: { disk: 'ssd', gpu: 'yes' } }),
    sentence: 'The node lacks a label of disk=ssd, gpu=yes.',
    remedy: { cost: 1, sentence: 'label node n with disk=ssd' },
  },
  TAINT_NOT_TOLERATED: {
    wanted: request({ tolerations: [{ key: 'gpu', value: 'a' }] }),
    refused: gpu('b'),
    accepted: gpu('a'),
    sentence: 'The node has a taint that the request does not tolerate.',
    remedy: { cost: 1, sentence: 'tolerate gpu=b:NoSchedule of node n' },
  },
  NODE_NOT_READY: {
    wanted: request(),
    refused: node({ ready: false }),
    accepted: node(),
    sentence: 'The node is not ready.',
    remedy: { cost: 3, sentence: 'bring node n back to ready' },
  },
  NODE_NOT_SCHEDULABLE: {
    wanted: request(),
    refused: node({ schedulable: false }),
    accepted: node(),
    sentence: 'The node is cordoned or draining.',
    remedy: { cost: 1, sentence: 'make node n schedulable again' },
  },
  NO_ROOM_FOUND: {
    wanted: request({ avoid: ['full'] }),
    refused: node({ id: 'full' }),
    accepted: node({ id: 'other', name: 'full' }),
    sentence: 'Its infrastructure had no room for this container; it is tried again later.',
    remedy: { cost: 5, sentence: 'make room on the infrastructure of node n' },
  },
  INSUFFICIENT_ROOM: {
    wanted: request({ cpus: 1, memoryMb: 1000 }),
    refused: node({ allocated: { cpus: 3.5, memoryMb: 0 } }),
    accepted: node({ allocated: { cpus: 3, memoryMb: 7000 } }),
    sentence: 'The node has less than 1 CPUs or 1000 MB free.',
    remedy: { cost: 1.5, sentence: 'free 0.5 CPUs and 0 MB on node n' },
  },
};

describe.each(FILTERS)('the filter $code', ({ code, applies, sentence, remedy }) => {
  const example = examples[code];

  it('refuses a node that cannot take the request and no other', () => {
    expect(applies(example.wanted)).toBe(true);
    expect(refuses(code, example.wanted, example.refused)).toBe(true);
    expect(refuses(code, example.wanted, example.accepted)).toBe(false);
  });

  it('explains its refusal, and what would help', () => {
    expect(sentence(example.wanted)).toBe(example.sentence);
    expect(remedy(example.wanted, example.refused)).toEqual(example.remedy);
  });
});

it('filters do not apply for attributes that a request leaves open', () => {
  const unconditional = ['TAINT_NOT_TOLERATED', 'NODE_NOT_READY', 'NODE_NOT_SCHEDULABLE', 'INSUFFICIENT_ROOM'];
  const open = request({ nodeSelector: {} });
  expect(FILTERS.filter(filter => filter.applies(open)).map(filter => filter.code)).toEqual(unconditional);
  expect(filterOf('LABELS_MISMATCH').applies(request())).toBe(false);
});

it('the filter of the host node accepts a node by its id', () => {
  expect(refuses('NOT_HOST_NODE', request({ hostNode: 'x' }), node({ id: 'x', name: 'n1' }))).toBe(false);
});

it('the filter of the region refuses a node without a region', () => {
  expect(refuses('REGION_MISMATCH', request({ region: 'a' }), node())).toBe(true);
});

it('the filter of labels does not take inherited members of an object for labels', () => {
  expect(refuses('LABELS_MISMATCH', request({ nodeSelector: { toString: 'x' } }), node())).toBe(true);
});

it('the filter of taints compares the effect when the toleration names one', () => {
  const tainted = node({ taints: [{ key: 'gpu', effect: 'NoExecute' }] });
  const tolerating = (toleration: object) => request({ tolerations: [{ key: 'gpu', ...toleration }] });
  expect(refuses('TAINT_NOT_TOLERATED', tolerating({ effect: 'NoSchedule' }), tainted)).toBe(true);
  expect(refuses('TAINT_NOT_TOLERATED', tolerating({}), tainted)).toBe(false);
  expect(refuses('TAINT_NOT_TOLERATED', request(), tainted)).toBe(true);
});

it('the filter of resources counts in thousandths of a CPU, without errors of binary fractions', () => {
  const used = node({ capacity: { cpus: 0.3, memoryMb: 1 }, allocated: { cpus: 0.1 + 0.1, memoryMb: 0 } });
  expect(refuses('INSUFFICIENT_ROOM', request({ cpus: 0.1, memoryMb: 1 }), used)).toBe(false);
});

it('the filter of resources asks for another node when a node is too small even when it is empty', () => {
  const remedy = filterOf('INSUFFICIENT_ROOM').remedy(request({ cpus: 9, memoryMb: 1 }), node());
  expect(remedy.sentence).toBe('add a node with at least 9 CPUs and 1 MB');
});
