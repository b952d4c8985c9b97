/** Returns a number with its noun, such as `1 member` or `3 members`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
