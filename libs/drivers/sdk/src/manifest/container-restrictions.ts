import type { AllowedOptions, ContainerRestrictions } from '../contract/restrictions.js';
import type { ContainerSpec } from '../driver.js';
import type { OptionProblem } from './option-validation.js';

type Asked = Partial<Pick<ContainerSpec, 'network' | 'volumes'>>;

/** The drivers that an engine uses where a request names none. */
const defaultDriver = { volumes: 'local', networks: 'bridge' } as const;

/**
 * Returns what the network and the volumes of a container ask for beyond the restrictions of its driver, with pointers into the container
 * and the code `option-not-allowed`. An empty list means that the container is allowed.
 */
export function containerProblems(rules: ContainerRestrictions | undefined, asked: Asked): OptionProblem[] {
  if (!rules) return [];
  const { network, volumes = [] } = asked;
  return [
    ...(network ? networkProblems(rules, network) : []),
    ...volumes.flatMap((volume, i) => optionProblems(rules, 'volumes', volume, `/volumes/${i}`)),
  ];
}

function networkProblems(rules: ContainerRestrictions, network: NonNullable<Asked['network']>): OptionProblem[] {
  const { name } = network;
  const isReserved = rules.reservedNetworks.includes(name) || String(name).includes(':');
  const named = isReserved && !rules.allowed.includes(name) ? [problem(rules, '/network/name', 'network', name)] : [];
  return [...named, ...optionProblems(rules, 'networks', network, '/network')];
}

type Configured = { readonly driver?: string; readonly options?: Readonly<Record<string, unknown>> };

function optionProblems(
  rules: ContainerRestrictions,
  kind: 'volumes' | 'networks',
  { driver = defaultDriver[kind], options = {} }: Configured,
  pointer: string,
): OptionProblem[] {
  const allowed: AllowedOptions = rules[kind];
  const own = Object.hasOwn(allowed, driver) ? allowed[driver] : undefined;
  if (!own && !rules.allowed.includes(driver)) return [problem(rules, `${pointer}/driver`, 'driver', driver)];
  const refused = Object.entries(options).filter(
    ([name, value]) => !rules.allowed.includes(name) && !matches(own, name, value),
  );
  return refused.map(([name, value]) =>
    problem(rules, `${pointer}/options/${escaped(name)}`, 'option', `${name}=${String(value)}`),
  );
}

function matches(options: Readonly<Record<string, string>> | undefined, name: string, value: unknown): boolean {
  const pattern = options?.[Object.hasOwn(options, name) ? name : '*'];
  return pattern !== undefined && new RegExp(`^(?:${pattern})$`).test(String(value));
}

function problem({ setting }: ContainerRestrictions, pointer: string, what: string, given: string): OptionProblem {
  const name = given.split('=')[0] ?? given;
  const detail = `${what} ${given.slice(0, 200)} is not allowed here; an operator allows it by ${name} in ${setting}`;
  return { pointer, code: 'option-not-allowed', detail };
}

const escaped = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1');
