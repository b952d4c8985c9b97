import type { ContainerResource, NodeResource, Operation } from './api-client.js';
import type { Unit } from './infrastructure.js';
import { screen } from './screen.js';

/** Returns whether the unit belongs to this node and has its limits and zone. */
export const isUnitOf = (unit: Unit, { id, flavor, zone }: NodeResource): boolean =>
  unit.nodeId === id && unit.cpus === flavor.cpus && unit.memoryMb === flavor.memoryMb && unit.zone === (zone ?? '-');

/** Returns a function that prints the progress of an operation whenever it has changed. */
export function progressLine(): (operation: Operation) => void {
  let shown = '';
  return ({ progress: { done, total, percent } }) => {
    const bar = '#'.repeat(Math.round(percent / 5)).padEnd(20, '.');
    const text = `[${bar}] ${done} of ${total} steps`;
    if (text !== shown) screen.line(text);
    shown = text;
  };
}

/** Returns the score of the chosen node with its parts, then the scores of the next two nodes. */
export function placementReasons({ nodeId, placement }: ContainerResource, nameOf: (id: string) => string): string {
  const scores = [...(placement?.scores ?? [])].sort((a, b) => b.total - a.total);
  const chosen = scores.find(s => s.nodeId === nodeId);
  if (!chosen) return 'no scores recorded';
  const parts = Object.entries(chosen.parts).map(([part, value]) => `${part} ${value.toFixed(2)}`);
  const next = scores.filter(s => s.nodeId !== nodeId).map(s => `${nameOf(s.nodeId)} ${s.total.toFixed(2)}`);
  return `score ${chosen.total.toFixed(2)} (${parts.join(', ')}); next ${next.slice(0, 2).join(', ')}`;
}
