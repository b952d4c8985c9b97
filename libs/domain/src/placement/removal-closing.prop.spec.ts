import fc from 'fast-check';
import { decidePlacement } from './decide-placement.js';
import { evolvePlacement, initialPlacement, type PlacementState, type Reservation } from './placement-stream.js';
import { boundTo, closeForRemoval } from './removal-closing.js';

const NODES = ['n1', 'n2', 'n3'];
const VOLUMES = ['kept1', 'kept2', 'free1'];
const capacity = new Map(NODES.map(id => [id, { cpus: 1000, memoryMb: 1000 }]));
const explanation = { scores: [], refusals: [], seed: 0, policy: 'p' };
const retained = (id: string): string | undefined => (id.startsWith('kept') ? `the volume ${id}` : undefined);

type Step =
  | { readonly reserve: string; readonly volumes: readonly string[] }
  | { readonly close: readonly string[]; readonly discarded: readonly string[]; readonly after: number }
  | { readonly open: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ reserve: fc.constantFrom(...NODES), volumes: fc.subarray(VOLUMES, { minLength: 1 }) }),
  fc.record({ close: fc.subarray(NODES, { minLength: 1 }), discarded: fc.subarray(NODES), after: fc.nat(3) }),
  fc.record({ open: fc.constantFrom(...NODES) }),
);

const holding = (state: PlacementState, nodeId: string): readonly string[] =>
  boundTo(state, [nodeId]).filter(id => retained(id) !== undefined);

function decide(state: PlacementState, each: Step, n: number) {
  if ('open' in each) return decidePlacement({ type: 'OpenNode', nodeId: each.open }, state);
  if ('close' in each) {
    const awaits = { stream: 'nodeGroup-g', after: each.after, at: '2026-01-01T00:00:00.000Z' };
    const discarded = new Set(each.discarded);
    return closeForRemoval(state, { nodeIds: each.close, reason: 'to be removed', awaits, discarded, retained });
  }
  const attached = { volumes: each.volumes.map(id => ({ id, scope: 'node' as const })) };
  const one: Reservation = { containerId: `c${n}`, nodeId: each.reserve, cpus: 1, memoryMb: 1, explanation, attached };
  return decidePlacement({ type: 'Reserve', placements: [one], capacity }, state);
}

it('a node that was closed for its removal gets no data until it is opened again, and is closed with such data only by permission', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const state = initialPlacement();
      /** What the nodes that are closed had when they were closed. */
      const had = new Map<string, readonly string[]>();
      steps.forEach((each, n) => {
        const before = new Map(NODES.map(id => [id, holding(state, id)]));
        const decision = decide(state, each, n);
        for (const event of decision.ok ? decision.events : []) evolvePlacement(state, event);
        if ('open' in each) had.delete(each.open);
        if ('close' in each) {
          const kept = each.close.filter(id => !each.discarded.includes(id) && before.get(id)?.length);
          expect(decision.ok).toBe(kept.length === 0);
          if (!decision.ok) {
            const volumes = kept.flatMap(id => before.get(id) ?? []).map(id => retained(id));
            expect(decision.refusal).toMatchObject({ code: 'holds-volumes', extra: { volumes, nodeIds: kept } });
          }
          for (const id of decision.ok ? each.close : []) had.set(id, before.get(id) ?? []);
        }
        for (const [id, volumes] of had) expect(holding(state, id)).toEqual(volumes);
        for (const id of had.keys()) expect(state.awaited.has(id)).toBe(true);
      });
    }),
  );
});
