// Completes the words of a command line in bash, zsh and fish.
import { Argument, type Command } from 'commander';
import { addCommand, completions } from './command-line/commands.ts';
import { print } from './command-line/output.ts';

/** Each script asks the program for the words that fit, one a line; where none fit, the shell completes names of files. */
const SCRIPTS = {
  bash: `_optiongraph() {
  # Not COMP_WORDS, which splits addresses at colons.
  local line="\${COMP_LINE:0:COMP_POINT}"
  local -a words
  read -ra words <<<"$line"
  if [[ "$line" == *' ' ]]; then words+=(''); fi
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(optiongraph complete -- "\${words[@]:1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _optiongraph optiongraph`,
  zsh: `#compdef optiongraph
_optiongraph() {
  local -a candidates
  candidates=("\${(@f)$(optiongraph complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -a candidates; else _files; fi
}
if [[ "$funcstack[1]" == _optiongraph ]]; then _optiongraph "$@"; else compdef _optiongraph optiongraph; fi`,
  fish: `function __optiongraph_complete
  set -l candidates (optiongraph complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if set -q candidates[1]; printf '%s\\n' $candidates; else; __fish_complete_path (commandline -ct); end
end
complete -c optiongraph -f -a '(__optiongraph_complete)'`,
} as const;

/** What no shell interprets. Bash expands the words that it gets, and names of resources come from the API. */
const PLAIN_WORD = /^[\p{L}\p{N}_.:/@%+=,#-]+$/u;

const isShell = (name: unknown): name is keyof typeof SCRIPTS =>
  typeof name === 'string' && Object.hasOwn(SCRIPTS, name);

/** Adds the command that prints a script for a shell, and the hidden one that the script calls. */
export function declareCompletion(program: Command): void {
  addCommand(
    program,
    'completion',
    'prints the script with which a shell completes commands and flags',
    'source <(optiongraph completion bash)',
    'source <(optiongraph completion zsh)',
    'optiongraph completion fish > ~/.config/fish/completions/optiongraph.fish',
  )
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .action((shell: unknown) => {
      if (isShell(shell)) print(SCRIPTS[shell]);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => {
      const candidates = candidatesFor(program, words);
      if (candidates.length > 0) print(candidates.join('\n'));
    });
}

/** The words that may stand in the place of the last one. */
function candidatesFor(program: Command, words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  let command = program;
  for (const word of before) command = command.commands.find((one) => one.name() === word) ?? command;
  const option = command.options.find(({ long }) => long === before.at(-1));
  const choices =
    option !== undefined && !option.isBoolean()
      ? (option.argChoices ?? completions.get(option)?.() ?? [])
      : last.startsWith('-')
        ? command.options.map(({ long }) => long ?? '')
        : argumentsOf(command, before);
  return choices.filter((choice) => choice.startsWith(last) && PLAIN_WORD.test(choice));
}

/** The commands within a command, and the values of its first argument. */
function argumentsOf(command: Command, words: readonly string[]): readonly string[] {
  const choices = [
    ...command
      .createHelp()
      .visibleCommands(command)
      .map((one) => one.name()),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  ];
  const { operands } = command.parseOptions(words.slice(words.indexOf(command.name()) + 1));
  return operands.length > 0 ? [] : choices;
}
