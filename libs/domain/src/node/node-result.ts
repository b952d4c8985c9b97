/** What its driver said of it once it stood. */
export interface NodeResultState {
  readonly infrastructureId: string;
  readonly addresses: readonly string[];
  readonly engineVersion?: string;
  readonly capacity: { readonly cpus: number; readonly memoryMb: number };
}

/** Reads it; what is missing is empty. */
export function resultOf(raw: Readonly<Record<string, unknown>>): NodeResultState {
  const capacity = raw['capacity'] as NodeResultState['capacity'] | undefined;
  return {
    infrastructureId: String(raw['infrastructureId'] ?? ''),
    addresses: Array.isArray(raw['addresses']) ? raw['addresses'].map(String) : [],
    ...(raw['engineVersion'] === undefined ? {} : { engineVersion: String(raw['engineVersion']) }),
    capacity: capacity ?? { cpus: 0, memoryMb: 0 },
  };
}
