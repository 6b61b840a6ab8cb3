// The command `schema diff`: what changes between two schemas, or which operations that breaks.
import { type Change, CriticalityLevel } from '@graphql-inspector/core';
import { EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import type { CallerConfig } from '../login/use-profile.ts';
import { type Format, printRows } from '../output/formats.ts';
import { printBroken } from './broken-operations.ts';
import { readSchemas } from './compared-schemas.ts';
import { readOperations } from './read-operations.ts';
import { findChanges, type SchemaChanges } from './schema-changes.ts';

/** What clients must expect of a change, in words, with the order in which changes are listed. */
const EFFECTS = {
  [CriticalityLevel.Breaking]: { effect: 'breaking', order: 0 },
  [CriticalityLevel.Dangerous]: { effect: 'dangerous', order: 1 },
  [CriticalityLevel.NonBreaking]: { effect: 'safe', order: 2 },
} as const;

interface DiffOptions {
  readonly format: Format;
  /** See `Compared.caller`. */
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
  const schemas = await readSchemas(config, { file, caller: caller ?? null });
  const changes = await findChanges(schemas);
  if (read === null) return printChanges(changes, format);
  return printBroken(schemas, changes, read, format);
}

async function printChanges({ renames, overrides, others }: SchemaChanges, format: Format): Promise<number> {
  const renamed = [...renames].map(([at, name]) => ({
    effect: 'breaking',
    at,
    change: 'Renamed',
    name,
    override: overrides.get(at) ?? null,
  }));
  const rows = others.map(toRow).sort((one, other) => one.order - other.order);
  const all = [...renamed, ...rows.map(({ order: _order, ...row }) => row)];
  const count = (wanted: string): number => all.filter(({ effect }) => effect === wanted).length;
  await printRows(all, format);
  const breaking = count('breaking');
  note(`${breaking} breaking, ${count('dangerous')} dangerous and ${count('safe')} safe changes.`);
  return breaking > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}

function toRow({ criticality, path, message }: Change) {
  const { effect, order } = EFFECTS[criticality.level];
  return { effect, at: path ?? '', change: message, order };
}
