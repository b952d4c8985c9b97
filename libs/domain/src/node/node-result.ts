/** What its driver said of it once it stood. */
export interface NodeInfrastructure {
  readonly infrastructureId: string;
  readonly addresses: readonly string[];
  readonly engineVersion?: string;
  readonly capacity: { readonly cpus: number; readonly memoryMb: number };
}

/** Reads it; what is missing is empty. */
export function nodeInfrastructureOf(raw: Readonly<Record<string, unknown>>): NodeInfrastructure {
  const capacity = raw['capacity'] as NodeInfrastructure['capacity'] | undefined;
  return {
    infrastructureId: String(raw['infrastructureId'] ?? ''),
    addresses: Array.isArray(raw['addresses']) ? raw['addresses'].map(String) : [],
    ...(raw['engineVersion'] === undefined ? {} : { engineVersion: String(raw['engineVersion']) }),
    capacity: capacity ?? { cpus: 0, memoryMb: 0 },
  };
}
