// Reads the settings of a command line as the program does, and starts nothing.
import { runProgram } from '../../src/cli/program.ts';
import type { SandboxConfig } from '../../src/cli/sandbox/sandbox-settings.ts';
import { ConfigError } from '../../src/config/config-file.ts';
import type { ServeConfig } from '../../src/config/serve-settings.ts';

export type Environment = Readonly<Record<string, string>>;

/** What the commands of one run were given. */
export interface Ran {
  readonly serve: readonly ServeConfig[];
  readonly sandbox: readonly SandboxConfig[];
  readonly output: string;
}

/** Runs the program with commands that only record their settings. */
export async function runRecorded(args: readonly string[], env: Environment = {}): Promise<Ran> {
  const serve: ServeConfig[] = [];
  const sandbox: SandboxConfig[] = [];
  const output: string[] = [];
  await runProgram(args, env, '1.2.3', {
    serve: async (config) => void serve.push(config),
    sandbox: async (config) => void sandbox.push(config),
    print: (text) => void output.push(text),
  });
  return { serve, sandbox, output: output.join('\n') };
}

/** The settings of `serve`. */
export async function readServe(args: readonly string[], env: Environment = {}): Promise<ServeConfig> {
  const [config] = (await runRecorded(args, env)).serve;
  if (config === undefined) throw new Error('expected the command serve');
  return config;
}

/** The settings of `sandbox`. */
export async function readSandbox(args: readonly string[], env: Environment = {}): Promise<SandboxConfig> {
  const [config] = (await runRecorded(['sandbox', ...args], env)).sandbox;
  if (config === undefined) throw new Error('expected the command sandbox');
  return config;
}

/** The message of the error that ends the program. */
export async function refusal(args: readonly string[], env: Environment = {}): Promise<string> {
  try {
    await runRecorded(args, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('expected a ConfigError');
}
