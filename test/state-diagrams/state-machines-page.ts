import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { clusterMachine } from './cluster.machine.js';
import { containerMachine } from './container.machine.js';
import { explore, type Machine, type Transition } from './explore.js';
import { nodeGroupMachine } from './node-group.machine.js';
import { nodeMachine } from './node.machine.js';
import { taskMachine } from './task.machine.js';

export const pageFile = join(repositoryRoot(), 'docs/concepts/state-machines.md');

const INTRODUCTION = `# State machines

This page shows the statuses of each resource and the events that change them. \`npm run state-diagrams\` generates it: the generator sends
every command and every report to every state that can be reached, and records how the status changes. A test fails when the page is stale.
`;

/** Returns a Mermaid diagram with one arrow for each pair of statuses, labelled with the events. */
function diagram(transitions: readonly Transition[]): string {
  const arrows = new Map<string, string[]>();
  for (const { from, to, event } of transitions) {
    const arrow = `${from} --> ${to}`;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), event]);
  }
  const lines = [...arrows].map(([arrow, events]) => `    ${arrow}: ${events.join('<br/>')}`);
  return ['```mermaid', 'stateDiagram-v2', ...lines, '```'].join('\n');
}

const section = <S extends object>(machine: Machine<S>): string =>
  `\n## ${machine.title}\n\n${machine.text}\n\n${diagram(explore(machine))}\n`;

export const statusesOf = <S extends object>(machine: Machine<S>): readonly string[] => [
  ...new Set(explore(machine).flatMap(({ from, to }) => [from, to])),
];

export const page = (): string =>
  [
    INTRODUCTION,
    section(clusterMachine),
    section(nodeGroupMachine),
    section(nodeMachine),
    section(containerMachine),
    section(taskMachine),
  ].join('');
