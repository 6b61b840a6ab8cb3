// Runs the command-line program with profiles in a folder of their own.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from './cli.ts';
import { runInProcess, type StartedCommand, startInProcess } from './cli-in-process.ts';
import { makeFolder } from './folder.ts';
import type { ExitResult, RunningProcess } from './running-process.ts';

/** Prints the label of the user who is signed in. */
export const WHO = [
  ...['query', '--format', 'ndjson', '{ session { user { label } } }'],
  ...['--select', 'session.user.label'],
];

type Command = [args: readonly string[], input?: string | null, env?: Readonly<Record<string, string>>];

/** A folder for profiles. */
export interface ProfileFolder extends Disposable {
  readonly env: Readonly<Record<string, string>>;
  /** The file of a profile. */
  file(name?: string): string;
  exists(name?: string): boolean;
  /** The permissions of a profile, in octal. */
  mode(name?: string): string;
  chmod(mode: number, name?: string): void;
  read(name?: string): Record<string, unknown> & { tokens: Record<string, unknown> };
  /** Changes values of a stored profile. */
  change(changes: object, name?: string): void;
  /** Replaces the content of its file. */
  write(text: string, name?: string): void;
  run(...command: Command): Promise<ExitResult>;
  /** Runs a command meanwhile. */
  begin(...command: Command): StartedCommand;
  /** Runs the built program in a process of its own. */
  start(...command: Command): RunningProcess;
}

/** Makes an empty folder for profiles. */
export function makeProfiles(): ProfileFolder {
  const folder = makeFolder();
  const env = { XDG_CONFIG_HOME: folder.path };
  const file = (name = 'default'): string => join(folder.path, 'optiongraph', 'profiles', `${name}.json`);
  const read = (name?: string) => JSON.parse(readFileSync(file(name), 'utf8'));
  const write = (text: string, name?: string): void => writeFileSync(file(name), text);
  return {
    env,
    file,
    exists: (name) => existsSync(file(name)),
    mode: (name) => (statSync(file(name)).mode & 0o777).toString(8),
    chmod: (mode, name) => chmodSync(file(name), mode),
    read,
    change: (changes, name) => write(JSON.stringify({ ...read(name), ...changes }), name),
    write,
    run: (args, input = null, more = {}) => runInProcess(args, { ...env, ...more }, input),
    begin: (args, input = null, more = {}) => startInProcess(args, { ...env, ...more }, input),
    start: (args, input = null, more = {}) => runCli(args, { ...env, ...more }, input),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
