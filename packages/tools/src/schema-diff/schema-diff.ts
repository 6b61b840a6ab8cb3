// The command `schema diff`: what changes between two schemas, or which operations that breaks.
import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import { EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import type { CallerConfig } from '../login/use-profile.ts';
import { type Format, printRows } from '../output/formats.ts';
import { printBroken } from './broken-operations.ts';
import { readSchemas } from './compared-schemas.ts';
import { readOperations } from './read-operations.ts';

/** What clients must expect of a change, in words, in the order in which changes are listed. */
const EFFECTS = [
  [CriticalityLevel.Breaking, 'breaking'],
  [CriticalityLevel.Dangerous, 'dangerous'],
  [CriticalityLevel.NonBreaking, 'safe'],
] as const;

interface DiffOptions {
  readonly format: Format;
  /** Another caller; see `readSchemas`. */
  readonly with?: string;
  /** A file or folder of operations; those that the changes break are listed. */
  readonly operations?: string;
}

/** Lists the changes since an earlier schema, or those that a document of the caller meets as another caller. */
export async function diffSchema(
  config: CallerConfig,
  { format, with: caller, operations }: DiffOptions,
  file: string | null,
): Promise<number> {
  const read = operations === undefined ? null : readOperations(operations);
  const schemas = await readSchemas(config, file, caller ?? null);
  const changes = await diff(schemas.before, schemas.after);
  return read === null ? printChanges(changes, format) : printBroken(schemas, changes, read, format);
}

async function printChanges(changes: readonly Change[], format: Format): Promise<number> {
  const groups = EFFECTS.map(([level, effect]) =>
    changes
      .filter(({ criticality }) => criticality.level === level)
      .map(({ path, message }) => ({ effect, at: path ?? '', change: message })),
  );
  await printRows(groups.flat(), format);
  const [breaking = 0, dangerous = 0, safe = 0] = groups.map(({ length }) => length);
  note(`${breaking} breaking, ${dangerous} dangerous and ${safe} safe changes.`);
  return breaking > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}
