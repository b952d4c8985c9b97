const GENERATED = '(generated)';
const TIME = '(time)';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const INSTANT_WITH_ZONE = /^\d{4}-\d\d-\d\dT/;

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map(item => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

/** Returns every instant in the value, in milliseconds. */
export function instantsIn(value: unknown): ReadonlySet<number> {
  const found = new Set<number>();
  mapTexts(value, text => {
    if (INSTANT_WITH_ZONE.test(text)) found.add(Date.parse(text));
    return text;
  });
  return found;
}

/**
 * Replaces what differs in every run of the same request: concealed texts become `(generated)`, and instants that the request did not give
 * become `(time)`.
 */
export class PlanMask {
  constructor(
    private readonly concealed: ReadonlySet<string>,
    private readonly given: ReadonlySet<number>,
  ) {}

  apply<T>(value: T): T {
    const masked = mapTexts(value, text => {
      if (this.concealed.has(text)) return GENERATED;
      return INSTANT.test(text) && !this.given.has(Date.parse(text)) ? TIME : text;
    });
    return masked as T; // of the same shape: only texts were replaced
  }
}
