type Members = Readonly<Record<string, unknown>>;

/** Returns whether a JSON value is an object, as opposed to a list or a plain value. */
export const isObject = (value: unknown): value is Members => isMembers(value) && !Array.isArray(value);

export const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

export const member = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined);
