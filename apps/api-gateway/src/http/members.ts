type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** Returns a member of a reply or an error; undefined when the value has no such member. */
export const member = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined);
