/** Returns the text as one literal word of a POSIX shell. Throws a RangeError on a NUL byte, which no argument of a program can contain. */
export function quote(text: string): string {
  if (text.includes('\0')) throw new RangeError('a text with a NUL byte is no argument of a program');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
