import type { MachineContents } from '@stave/driver-sdk';

const MOST_NAMED = 5;
const lists = ['containers', 'volumes', 'networks'] as const;

/** Names what is on an engine that was not there before, and what is missing; undefined where everything is as before. */
export function contentsDifference(before: MachineContents, now: MachineContents): string | undefined {
  const found = [
    ...lists.flatMap(kind => named(`${kind} left`, without(now[kind], before[kind]))),
    ...lists.flatMap(kind => named(`${kind} missing`, without(before[kind], now[kind]))),
    ...stateDifferences(before.state, now.state),
  ];
  return found.length === 0 ? undefined : `not as before its node: ${found.join('; ')}`;
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return some.filter(name => !known.has(name));
}

function named(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return [`${what}: ${names.slice(0, MOST_NAMED).join(', ')}${more}`];
}

function stateDifferences(before: MachineContents['state'], now: MachineContents['state']): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const shown = (value: string | undefined): string => value ?? 'absent';
  return names
    .filter(name => before[name] !== now[name])
    .map(name => `${name} is ${shown(now[name])} instead of ${shown(before[name])}`);
}
