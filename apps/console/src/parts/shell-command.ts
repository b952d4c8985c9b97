/** A command as it is pasted into a shell. Only `shell` makes one, so that no value gets into it without its quotes. */
export class ShellCommand {
  constructor(readonly text: string) {}
}

/** What every shell takes as it is, at any place of a command. */
const PLAIN = /^[\w@%+:,./-][\w@%+:,./=-]*$/;

/** Returns a value as one word of a POSIX shell. */
const word = (value: string | number): string => {
  const text = String(value);
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
};

/** Makes a command of a template: values are quoted where a shell needs it, and parts that are commands themselves stay as they are. */
export function shell(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | ShellCommand)[]
): ShellCommand {
  const texts = values.map(value => (value instanceof ShellCommand ? value.text : word(value)));
  return new ShellCommand(parts.map((part, index) => `${part}${texts[index] ?? ''}`).join(''));
}

/** Returns ` --flag value`, or nothing without a value. */
export const flag = (name: string, value: string | undefined): ShellCommand =>
  value === undefined || value === '' ? shell`` : shell` --${name} ${value}`;

/** Returns the command with flags of `flag` behind it. */
export const withFlags = (command: ShellCommand, flags: readonly ShellCommand[]): ShellCommand =>
  flags.reduce((all, one) => shell`${all}${one}`, command);

/** Gives a command its input along, as a here-document. No line of JSON is the word that ends it. */
export const withInput = (command: ShellCommand, input: unknown): ShellCommand =>
  new ShellCommand(`${command.text} <<'EOF'\n${JSON.stringify(input, null, 2)}\nEOF`);
