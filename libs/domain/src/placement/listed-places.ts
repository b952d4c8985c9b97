import type { NodeView } from './model.js';

export const isNode = (entry: { readonly node: string }, { id, name }: NodeView): boolean =>
  entry.node === id || entry.node === name;

/** An entry without a region is the zone of that name in every region. */
export const isZone = (entry: { readonly name: string; readonly region?: string }, node: NodeView): boolean =>
  entry.name === node.zone && (entry.region === undefined || entry.region === node.region);

export const isRegion = (entry: { readonly name: string }, { region }: NodeView): boolean => entry.name === region;
