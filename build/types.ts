// Runs the TypeScript compiler, and joins the types of a package's public names into one file.
import { execFile } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const ROOT = join(import.meta.dirname, '..');

/** Runs `tsc` in the root of the repository. Rejects with what it prints about errors. */
export async function runTypeScript(...args: readonly string[]): Promise<void> {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, args, { cwd: ROOT }).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}

/** Writes a file with all types that a file of declarations reaches; those of packages stay where they are. */
export async function writeTypes(from: string, to: string): Promise<void> {
  const bundle = await rolldown({
    input: { [basename(to, '.d.ts')]: join(ROOT, from) },
    // Its types stand in the file, because users need not install it.
    external: /^(?!@opentelemetry\/api$)[^./]/,
    // How long its plugin takes is of no interest.
    checks: { pluginTimings: false },
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  });
  await bundle.write({ dir: join(ROOT, dirname(to)) });
  await bundle.close();
}
