import type { NodeView, PlacementRequest } from '../model.js';
import { NodeTable } from '../node-table.js';
import { node } from '../placement.fixture.js';
import type { Filter } from './filter.js';

/** Whether the filter refuses the node, among others or alone. */
export const refuses = (filter: Filter, wanted: PlacementRequest, view: NodeView, others: readonly NodeView[] = []) =>
  filter.refuses(wanted, new NodeTable([view, ...others]))(0);

interface Example {
  readonly wanted: PlacementRequest;
  readonly refused: NodeView;
  readonly accepted: NodeView;
  readonly others?: readonly NodeView[];
  /** A request that the filter leaves alone; absent for filters that always apply. */
  readonly open?: PlacementRequest;
  readonly remedy: { readonly cost: number; readonly sentence: string };
}

/** Defines the tests that each filter needs. */
export function checkFilter(filter: Filter, { wanted, refused, accepted, others, open, remedy }: Example): void {
  it('refuses a node that cannot take the request and no other', () => {
    expect(filter.applies(wanted)).toBe(true);
    expect(refuses(filter, wanted, refused, others)).toBe(true);
    expect(refuses(filter, wanted, accepted, others)).toBe(false);
  });

  it('explains its refusal, and what would help', () => {
    expect(filter.sentence(wanted)).toMatch(/^[A-Z].*[.]$/);
    expect(filter.sentence(wanted)).not.toContain('undefined');
    expect(filter.remedy(wanted, refused)).toEqual(remedy);
  });

  it('applies only to requests that ask for it', () => {
    if (open === undefined)
      expect(refuses(filter, wanted, node({ id: 'any', capacity: { cpus: 99, memoryMb: 1e6 } }))).toBe(false);
    else expect(filter.applies(open)).toBe(false);
  });
}
