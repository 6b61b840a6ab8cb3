// Adds examples to the help of commands.
import type { Command } from 'commander';

/** Shows lines to copy below the help of a command. */
export function withExamples(command: Command, ...examples: readonly string[]): void {
  const title = examples.length === 1 ? 'Example' : 'Examples';
  command.addHelpText('after', ['', `${title}:`, ...examples.map((line) => `  ${line}`)].join('\n'));
}
