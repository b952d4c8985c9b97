import { validateOptions } from '@stave/driver-sdk';
import { InvalidDescriptionError, type DescriptionProblem } from './description/description-problem.js';
import { problemsOfMachine } from './description/machine-problems.js';
import { isRecord, object, oneOf, type Schema } from './description/machine-schema.js';
import type { KubernetesNodeDescription } from './kubernetes/kubernetes-description.js';
import { kubernetesNode } from './kubernetes/kubernetes-node.js';
import { kubernetesSchema, problemsOfKubernetes } from './kubernetes/kubernetes-schema.js';
import type { MachineConfiguration, MachinePart } from './machine/machine-configuration.js';
import { operatingSystem } from './machine/operating-system.js';
import { readiness } from './machine/readiness.js';
import { runner } from './machine/runner.js';
import type { MesosNodeDescription } from './mesos/mesos-description.js';
import { mesosNode } from './mesos/mesos-node.js';
import { mesosSchema, problemsOfMesos } from './mesos/mesos-schema.js';
import type { SwarmNodeDescription } from './swarm/swarm-description.js';
import { swarmNode } from './swarm/swarm-node.js';
import { problemsOfSwarm, swarmSchema } from './swarm/swarm-schema.js';

/** A node of any engine. */
export type NodeDescription = KubernetesNodeDescription | MesosNodeDescription | SwarmNodeDescription;

const schemas = { kubernetes: kubernetesSchema, mesos: mesosSchema, swarm: swarmSchema } as const;

const anyEngine: Schema = {
  ...object({ engine: oneOf(...Object.keys(schemas)) }, ['engine']),
  additionalProperties: true,
};

/** Returns everything that is wrong with a description, field by field; an empty list means that a node can be made of it. */
export function problemsOfDescription(value: unknown): DescriptionProblem[] {
  const description = isRecord(value) ? value : {};
  const { engine, role } = description;
  const known = engine === 'kubernetes' || engine === 'mesos' || engine === 'swarm';
  const problems = validateOptions({ options: known ? schemas[engine](role) : anyEngine }, description);
  // that a form was chosen is no problem of its own
  const found = problems.filter(({ code }) => code !== 'if');
  return found.length > 0 ? found : semanticProblems(value as NodeDescription);
}

function semanticProblems(node: NodeDescription): DescriptionProblem[] {
  const common = problemsOfMachine(node);
  if (node.engine === 'kubernetes') return [...common, ...problemsOfKubernetes(node)];
  if (node.engine === 'mesos') return [...common, ...problemsOfMesos(node)];
  return [...common, ...problemsOfSwarm(node)];
}

/**
 * Returns what makes a machine the described node: a pure function. The machine runs the steps at every boot; they change nothing once
 * the node is complete. Throws an InvalidDescriptionError that names every field which is wrong.
 */
export function bootstrapNode(node: NodeDescription): MachineConfiguration {
  const problems = problemsOfDescription(node);
  if (problems.length > 0) throw new InvalidDescriptionError(problems);
  const parts = [operatingSystem(node), engineOf(node)];
  const steps = parts.flatMap(part => part.steps ?? []);
  const all = [...parts, readiness(node.hostname, node.readiness), runner(steps)];
  return {
    hostname: node.hostname,
    authorizedKeys: node.authorizedKeys ?? [],
    files: all.flatMap(part => part.files ?? []),
    units: all.flatMap(part => part.units ?? []),
  };
}

function engineOf(node: NodeDescription): MachinePart {
  if (node.engine === 'kubernetes') return kubernetesNode(node);
  return node.engine === 'mesos' ? mesosNode(node) : swarmNode(node);
}
