// Declares commands with examples, and what completes their words.
import type { Command, Option } from 'commander';

/** Lines to copy, for the end of the help of a command. */
export const examplesText = (examples: readonly string[]): string =>
  ['', `Example${examples.length === 1 ? '' : 's'}:`, ...examples.map((line) => `  ${line}`)].join('\n');

/** Adds a command with examples. */
export const addCommand = (
  parent: Command,
  name: string,
  description: string,
  ...examples: readonly string[]
): Command => parent.command(name).description(description).addHelpText('after', examplesText(examples));

/** The words that run a command. */
export const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** The columns of the help: those of a narrow terminal, else what can be read well. */
export const helpWidth = (): number => Math.min(process.stdout.columns || 110, 110);

/** Lists the words that complete the value of an option. */
export const completions = new WeakMap<Option, () => readonly string[]>();

/** Parses an option that can be repeated. */
export const collect = (given: string, others: readonly string[] = []): readonly string[] => [
  ...others,
  given,
];

/** Says where an address belongs that is given as an argument. It does not repeat it, because it may contain a credential. */
export const MISPLACED_ADDRESS = 'Give the address of the management API as --upstream URL.';

/** Whether an argument begins as an address. */
export const isAddress = (word: string): boolean => /^[\w+.-]+:\/\//.test(word);

/** Formats names and their meanings as the help of a command does. */
export function formatItems(
  command: Command,
  items: readonly (readonly [name: string, meaning: string])[],
): string {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: helpWidth() });
  const width = Math.max(...items.map(([name]) => name.length));
  return items.map(([name, meaning]) => help.formatItem(name, width, meaning, help)).join('\n');
}
