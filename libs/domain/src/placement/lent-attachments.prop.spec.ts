import fc from 'fast-check';
import { decidePlacement } from './decide-placement.js';
import { someUsersOf, usersOf, type ReservedAttachments } from './lent-attachments.js';
import { evolvePlacement, initialPlacement, type PlacementState, type Reservation } from './placement-stream.js';

const NODES = ['n1', 'n2', 'n3'];
const capacity = new Map(NODES.map(id => [id, { cpus: 1000, memoryMb: 1000 }]));
const explanation = { scores: [], refusals: [], seed: 0, policy: 'p' };

const asked: fc.Arbitrary<ReservedAttachments> = fc.record(
  {
    network: fc.oneof(
      fc.record({
        id: fc.constant('wide'),
        scope: fc.constant('cluster' as const),
        address: fc.constantFrom('a', 'b'),
      }),
      fc.record({ id: fc.constant('local'), scope: fc.constant('node' as const), address: fc.constantFrom('a', 'b') }),
    ),
    volumes: fc.uniqueArray(
      fc.constantFrom(
        { id: 'onNode', scope: 'node' as const },
        { id: 'alone', scope: 'cluster' as const, exclusive: true as const },
        { id: 'free', scope: 'cluster' as const },
      ),
      { maxLength: 3, selector: ({ id }) => id },
    ),
    ports: fc.array(
      fc.record({
        containerPort: fc.constant(80),
        hostPort: fc.constantFrom(0, 8080, 8081),
        protocol: fc.constantFrom('tcp' as const, 'udp' as const),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

type Step =
  | { readonly reserve: readonly { readonly nodeId: string; readonly attached: ReservedAttachments }[] }
  | { readonly release: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    reserve: fc.array(fc.record({ nodeId: fc.constantFrom(...NODES), attached: asked }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  fc.record({ release: fc.nat(30) }),
);

function run(steps: readonly Step[]): PlacementState {
  const state = initialPlacement();
  let next = 0;
  for (const each of steps) {
    const placements =
      'reserve' in each
        ? each.reserve.map(({ nodeId, attached }): Reservation => {
            next += 1;
            return { containerId: `c${next}`, nodeId, cpus: 0.001, memoryMb: 1, explanation, attached };
          })
        : [];
    const command =
      'reserve' in each
        ? ({ type: 'Reserve', placements, capacity } as const)
        : ({ type: 'Release', containerIds: [`c${each.release}`] } as const);
    const decision = decidePlacement(command, state);
    if (decision.ok) for (const event of decision.events) evolvePlacement(state, event);
  }
  return state;
}

const doubles = (values: readonly string[]): readonly string[] =>
  values.filter((value, at) => values.indexOf(value) !== at);

describe('What a ledger lends', () => {
  it('no address, port or exclusive volume is lent twice, and data is on one node', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), steps => {
        const held = [...run(steps).reservations.values()];
        const addresses = held.flatMap(({ nodeId, attached }) => {
          const { network } = attached ?? {};
          return network ? [`${network.id} ${network.scope === 'node' ? nodeId : ''} ${network.address}`] : [];
        });
        expect(doubles(addresses)).toEqual([]);
        const ports = held.flatMap(({ nodeId, attached }) =>
          (attached?.ports ?? []).map(({ hostPort, protocol }) => `${nodeId} ${hostPort}/${protocol}`),
        );
        expect(doubles(ports)).toEqual([]);
        expect(ports.filter(port => port.includes(' 0/'))).toEqual([]);
        for (const id of ['onNode', 'alone']) {
          const nodes = held.filter(({ attached }) => attached?.volumes?.some(volume => volume.id === id));
          expect(new Set(nodes.map(({ nodeId }) => nodeId)).size).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('the number of users is kept beside them, and some of them are the first', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.nat(5), (steps, most) => {
        const { lent } = run(steps);
        for (const id of ['wide', 'local', 'onNode', 'alone', 'free']) {
          const all = usersOf(lent, id);
          expect(lent.userCounts.get(id) ?? 0).toBe(all.length);
          expect(someUsersOf(lent, id, most)).toEqual(all.slice(0, most));
        }
      }),
    );
  });

  it('nothing but bindings remains when every container has left', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), steps => {
        const state = run(steps);
        const containerIds = [...state.reservations.keys()];
        const decision = decidePlacement({ type: 'Release', containerIds }, state);
        if (decision.ok) for (const event of decision.events) evolvePlacement(state, event);
        const { users, userCounts, addresses, ports, bindings } = state.lent;
        expect([users.size, userCounts.size, addresses.size, ports.size]).toEqual([0, 0, 0, 0]);
        expect([...bindings.keys()].filter(id => id !== 'onNode')).toEqual([]);
      }),
    );
  });

  it('a chosen port is one of 30000 to 32767, also the last that is free on its node', () => {
    const state = initialPlacement();
    const reserve = (n: number) => {
      const attached = { ports: [{ containerPort: 80, hostPort: 0, protocol: 'tcp' as const }] };
      const placements = [{ containerId: `c${n}`, nodeId: 'n1', cpus: 0, memoryMb: 0, explanation, attached }];
      const decision = decidePlacement({ type: 'Reserve', placements, capacity }, state);
      if (decision.ok) for (const event of decision.events) evolvePlacement(state, event);
      return decision.ok ? state.reservations.get(`c${n}`)?.attached?.ports?.[0]?.hostPort : decision.refusal.code;
    };
    const chosen = Array.from({ length: 2768 }, (_, n) => Number(reserve(n)));
    expect(new Set(chosen).size).toBe(2768);
    expect([Math.min(...chosen), Math.max(...chosen)]).toEqual([30_000, 32_767]);
    expect(reserve(2768)).toBe('no-free-port');
  });
});
