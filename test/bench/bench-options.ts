/** Returns the number that follows `name` among the arguments. */
export function numberOption(args: readonly string[], name: string, otherwise: number): number {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : Number(args[at + 1]);
}
