// Carries out a Dockerfile in plain folders, without a container engine.
import { execFileSync, execSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';

/** The last stage of a Dockerfile that was carried out. */
export interface BuiltImage {
  /** The folder that stands for `/`. */
  readonly root: string;
  /** The working directory, within the root. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The program with its arguments, without those of `CMD`. */
  readonly entrypoint: readonly string[];
}

/** The command that has installed the packages of this checkout already, by the same lock file. */
const OF_PACKAGES = /^npm ci\b/;

/** Commands that change the base image, of which a plain folder has nothing. */
const OF_BASE_IMAGE = /^(?:apk|adduser) /;

interface Stage extends BuiltImage {
  readonly name: string;
}

/**
 * Carries out the stages of a Dockerfile: copies files and runs commands. The base images are empty but for node, which is the one
 * that runs the test, and the packages are those of the context.
 * @param context Folder that `COPY` takes files from.
 * @param into Empty folder for the stages, on the disk of the context.
 * @throws Error when a command fails, or an instruction is none of those that it knows.
 */
export function carryOut(file: string, context: string, into: string): BuiltImage {
  const stages: Stage[] = [];
  const begin = (name: string): Stage => {
    const root = join(into, name);
    const node = join(root, 'usr/local/bin/node');
    mkdirSync(dirname(node), { recursive: true });
    if (name === 'build') symlinkSync(process.execPath, node);
    return { name, root, directory: '/', environment: {}, entrypoint: [] };
  };
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    const [first, , name = 'final'] = wordsOf(instruction);
    if (instruction.getKeyword() === 'FROM') stages.push(begin(name));
    else if (instruction.getKeyword() !== 'ARG' || stages.length > 0) {
      const stage = stages.pop();
      if (stage === undefined) throw new Error(`${instruction.getKeyword()} ${first} stands before FROM`);
      stages.push(apply(instruction, stage, (from) => (from === undefined ? context : join(into, from))));
    }
  }
  const last = stages.at(-1);
  if (last === undefined) throw new Error('The Dockerfile has no stage.');
  return last;
}

const wordsOf = (instruction: Instruction): readonly string[] =>
  instruction.getArguments().map((argument) => argument.getValue());

function apply(instruction: Instruction, stage: Stage, rootOf: (stage?: string) => string): Stage {
  const words = wordsOf(instruction);
  const within = (path: string): string => join(stage.root, resolve(stage.directory, path));
  switch (instruction.getKeyword()) {
    case 'WORKDIR': {
      const [directory = '/'] = words;
      mkdirSync(within(directory), { recursive: true });
      return { ...stage, directory };
    }
    case 'COPY': {
      const from = (instruction as Copy).getFromFlag()?.getValue() ?? undefined;
      const target = words.at(-1) ?? '';
      for (const source of words.slice(0, -1)) {
        const isFolder = source.endsWith('/') || !target.endsWith('/');
        const to = within(isFolder ? target : join(target, source.split('/').at(-1) ?? ''));
        cpSync(join(rootOf(from), source), to, { recursive: true, dereference: from === undefined });
      }
      return stage;
    }
    case 'RUN': {
      const commands = instruction.getArgumentsContent()?.split('&&') ?? [];
      const own = commands.map((command) => command.trim()).filter((command) => !OF_BASE_IMAGE.test(command));
      for (const command of own)
        if (OF_PACKAGES.test(command)) {
          // Hard links, because bundles name their parts by where their files really are.
          execFileSync('cp', ['--archive', '--link', join(rootOf(), 'node_modules'), within('.')]);
          // The explorer's page comes with a hash of what it was built from, and is built again if the stage has anything else.
          cpSync(join(rootOf(), '.cache/explorer'), within('.cache/explorer'), { recursive: true });
        } else execSync(command, { cwd: within('.'), stdio: 'pipe' });
      return stage;
    }
    case 'ENV':
      return {
        ...stage,
        environment: { ...stage.environment, ...Object.fromEntries(words.map((word) => word.split('='))) },
      };
    case 'ENTRYPOINT':
      return { ...stage, entrypoint: JSON.parse(instruction.getArgumentsContent() ?? '[]') };
    case 'USER':
    case 'EXPOSE':
    case 'HEALTHCHECK':
    case 'CMD':
      return stage;
    default:
      throw new Error(`${instruction.getKeyword()} is not known here.`);
  }
}
