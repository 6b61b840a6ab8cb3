// Lists the operations that the changes of a schema break.
import { CriticalityLevel } from '@graphql-inspector/core';
import {
  type ASTNode,
  type GraphQLSchema,
  getLocation,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  typeFromAST,
  validate,
} from 'graphql';
import { EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { type Format, printRows } from '../output/formats.ts';
import { type ComparedSchemas, definitionsOf } from './compared-schemas.ts';
import type { FileOperation } from './read-operations.ts';
import { renameUses } from './rename-definitions.ts';
import type { SchemaChanges } from './schema-changes.ts';
import { listUsedElements, type UsedElement } from './used-elements.ts';

/** One place at which a change breaks an operation. */
interface BrokenPlace {
  readonly file: string;
  /** The name of the operation; empty for an unnamed one. */
  readonly operation: string;
  /** Line and column. */
  readonly at: string;
  readonly change: string;
  /** What the operation can have there; null where the change leaves nothing. */
  readonly instead: string | null;
}

/** Prints where changes break operations. Returns the exit code. */
export async function printBroken(
  schemas: ComparedSchemas,
  changes: SchemaChanges,
  operations: readonly FileOperation[],
  format: Format,
): Promise<number> {
  const [before, after] = [definitionsOf(schemas.before), definitionsOf(schemas.after)];
  const valid = operations.filter((operation) => {
    const [error] = validate(before, operation.document);
    if (error)
      note(`${operation.file}: ${nameOf(operation)} is invalid before the change too: ${error.message}`);
    return error === undefined;
  });
  const places = valid.map((operation) => findBroken(operation, before, after, changes));
  await printRows(places.flat(), format);
  const broken = places.filter(({ length }) => length > 0).length;
  note(`${broken} of ${operations.length} operations break.`);
  return broken > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}

const nameOf = ({ name }: FileOperation): string => (name === '' ? 'an unnamed operation' : name);

function findBroken(
  { file, name, document }: FileOperation,
  before: GraphQLSchema,
  after: GraphQLSchema,
  { renames, others }: SchemaChanges,
): readonly BrokenPlace[] {
  const places = new Map<string, BrokenPlace & { readonly start: number }>();
  const add = (node: ASTNode | undefined, change: string, instead: string | null): void => {
    const { source, start = 0 } = node?.loc ?? {};
    const { line, column } = source === undefined ? { line: 1, column: 1 } : getLocation(source, start);
    const place = { file: source?.name ?? file, operation: name, at: `${line}:${column}`, change, instead };
    // One place breaks once, and what is found first says most.
    const key = `${place.file} ${place.at} ${node?.kind === Kind.VARIABLE_DEFINITION ? change : ''}`;
    if (!places.has(key)) places.set(key, { ...place, start });
  };
  const used = listUsedElements(before, document);
  const uses = [...used.map((use) => ({ ...use, variable: null })), ...listVariableUses(before, document)];
  for (const { coordinate, node, variable } of uses) {
    const renamed = renames.get(coordinate);
    // The definition of a variable names its type, and its values do not.
    if (renamed === undefined || (variable !== null && !coordinate.includes('.'))) continue;
    const inValue = variable === null ? '' : ` in the value of $${variable}`;
    add(node, `${coordinate} is renamed to ${renamed}${inValue}`, spell(node, renamed));
  }
  const reasons = new Map(used.map(({ node, deprecationReason }) => [node.loc?.start, deprecationReason]));
  for (const { message, nodes } of validate(after, renameUses(document, used, renames)))
    add(nodes?.[0], message, reasons.get(nodes?.[0]?.loc?.start) ?? null);
  const breaking = others.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
  for (const { coordinate, node, deprecationReason, variable } of uses) {
    // The values that a document gives itself have been validated.
    if (variable === null && node.kind !== Kind.FIELD) continue;
    const later = laterCoordinate(coordinate, renames);
    for (const { path, message, type } of breaking) {
      const isNewInput = variable !== null && type === 'INPUT_FIELD_ADDED' && path?.startsWith(`${later}.`);
      if (path === later || isNewInput) add(node, message, deprecationReason);
    }
  }
  return [...places.values()]
    .sort((one, other) =>
      one.file === other.file ? one.start - other.start : one.file < other.file ? -1 : 1,
    )
    .map(({ start: _start, ...place }) => place);
}

/** A field keeps the name of its result by an alias. */
function spell(node: ASTNode, renamed: string): string {
  const newName = renamed.split('.').at(-1) ?? '';
  if (node.kind !== Kind.FIELD) return newName;
  return `${(node.alias ?? node.name).value}: ${newName}`;
}

/** The coordinate that an element has after renames of itself and of what contains it. */
function laterCoordinate(coordinate: string, renames: SchemaChanges['renames']): string {
  const renamed = renames.get(coordinate);
  const end = coordinate.lastIndexOf('.');
  if (renamed !== undefined || end === -1) return renamed ?? coordinate;
  return `${laterCoordinate(coordinate.slice(0, end), renames)}${coordinate.slice(end)}`;
}

/** Lists what the values of variables may contain: the input types to which they lead, with their fields, and enum values. */
function listVariableUses(
  schema: GraphQLSchema,
  { definitions }: FileOperation['document'],
): readonly (UsedElement & { readonly variable: string })[] {
  const variables = definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );
  return variables.flatMap((node) => {
    const types = new Set([getNamedType(typeFromAST(schema, node.type))?.name ?? '']);
    const variable = node.variable.name.value;
    const uses: (UsedElement & { readonly variable: string })[] = [];
    for (const name of types) {
      const type = schema.getType(name);
      const use = { node, variable, deprecationReason: null };
      if (!isEnumType(type) && !isInputObjectType(type)) continue;
      uses.push({ ...use, coordinate: name });
      if (isEnumType(type))
        uses.push(...type.getValues().map((value) => ({ ...use, coordinate: `${name}.${value.name}` })));
      else
        for (const field of Object.values(type.getFields())) {
          uses.push({
            ...use,
            coordinate: `${name}.${field.name}`,
            deprecationReason: field.deprecationReason ?? null,
          });
          types.add(getNamedType(field.type).name);
        }
    }
    return uses;
  });
}
