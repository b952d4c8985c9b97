/** A type of resource as the command line shows it. */
export interface Noun {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly singular: string;
  /** The list of all, below `/v1`. */
  readonly path: string;
  /** Whether `cluster/name` names one, and how its path below the cluster is called. */
  readonly inCluster?: string;
  /** The columns of a table; those from `wide` on are shown with `-o wide` only. */
  readonly columns: readonly string[];
  readonly wide?: readonly string[];
  readonly verbs: readonly Verb[];
  readonly actions: Readonly<Record<string, Action>>;
  /** Whether the list is one answer without pages and filters. */
  readonly whole?: boolean;
}
export type Verb =
  'get' | 'create' | 'update' | 'delete' | 'history' | 'logs' | 'why' | 'stats' | 'wait' | 'export' | 'attach';

const withoutPast: readonly string[] = ['operations', 'api-keys'];

/** Whether the API shows what the noun names as it was at a past time. */
export const hasPast = ({ name, whole = false }: Noun): boolean => !whole && !withoutPast.includes(name);

/** An action of a resource. */
export interface Action {
  readonly summary: string;
  /** The member of the body that a further argument sets. */
  readonly argument?: string;
  readonly required?: boolean;
  /** Where it is not below `/actions/`. */
  readonly path?: string;
}

export const action = (summary: string, more: Omit<Action, 'summary'> = {}): Action => ({ summary, ...more });
