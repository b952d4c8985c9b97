/** A name of the API as words: `graceSeconds` as `grace seconds`. */
export const wordsOf = (name: string): string => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
