import type { Command, Option } from 'commander';

const HEAD = `# Commands of stave

This page is generated from the commands themselves by \`npm run command-reference\`. [Use the command line](../how-to/use-the-command-line.md) explains them.
`;

/** The flags that a command has beside those of every command. */
const ownOptions = ({ options }: Command, common: ReadonlySet<string>): Option[] =>
  options.filter(({ flags }) => !common.has(flags));

function usageOf(command: Command, path: string): string {
  const args = command.registeredArguments.map(argument => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [path, ...args].join(' ');
}

const aliasesOf = (command: Command): string =>
  command.aliases().length === 0
    ? ''
    : ` Also: ${command
        .aliases()
        .map(alias => `\`${alias}\``)
        .join(', ')}.`;

function optionLines(options: readonly Option[]): string[] {
  const lines = options.map(({ flags, description }) => `- \`${flags}\`: ${description}`);
  return lines.length === 0 ? [] : ['', ...lines];
}

function leafLines(command: Command, path: string, common: ReadonlySet<string>): string[] {
  const title = `\`${usageOf(command, path)}\`: ${command.summary()}.${aliasesOf(command)}`;
  return ['', title, ...optionLines(ownOptions(command, common))];
}

const visible = (command: Command): readonly Command[] =>
  command.commands.filter(each => !each.name().startsWith('__'));

/** Returns the page with every command of the tree, with its arguments and flags. */
export function referencePage(root: Command): string {
  const leaves = visible(root).filter(each => each.commands.length === 0);
  const groups = visible(root).filter(each => each.commands.length > 0);
  const [first] = leaves;
  const everywhere = (first?.options ?? []).filter(({ flags }) =>
    leaves.every(leaf => leaf.options.some(option => option.flags === flags)),
  );
  const common = new Set(everywhere.map(({ flags }) => flags));
  const lines = [
    HEAD,
    '## Flags of every command',
    ...optionLines(everywhere),
    '',
    '## stave',
    ...leaves.flatMap(leaf => leafLines(leaf, `stave ${leaf.name()}`, common)),
    ...groups.flatMap(group => [
      '',
      `## stave ${group.name()}`,
      ...(group.aliases().length === 0 ? [] : ['', aliasesOf(group).trim()]),
      ...visible(group).flatMap(leaf => leafLines(leaf, `stave ${group.name()} ${leaf.name()}`, common)),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}
