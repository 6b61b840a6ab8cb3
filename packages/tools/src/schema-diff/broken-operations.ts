// Lists the operations that the changes of a schema break.
import { type Change, CriticalityLevel } from '@graphql-inspector/core';
import {
  type ASTNode,
  type GraphQLSchema,
  getLocation,
  getNamedType,
  isInputObjectType,
  Kind,
  TypeInfo,
  type TypeNode,
  typeFromAST,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { type Format, printRows } from '../output/formats.ts';
import type { ComparedSchemas } from './compared-schemas.ts';
import type { FileOperation } from './read-operations.ts';

/** One place at which a change breaks an operation. */
interface BrokenPlace {
  readonly file: string;
  /** The name of the operation; empty for an unnamed one. */
  readonly operation: string;
  /** Line and column. */
  readonly at: string;
  readonly change: string;
  /** Why the field there was deprecated before; null if it was not. */
  readonly instead: string | null;
}

/** A part of a document that changes of the schema concern although it stays valid. */
interface Use {
  readonly node: ASTNode;
  readonly deprecationReason: string | null;
  isChangedBy(change: Change): boolean;
}

/** Prints where changes break operations. Returns the exit code. */
export async function printBroken(
  { before, after }: ComparedSchemas,
  changes: readonly Change[],
  operations: readonly FileOperation[],
  format: Format,
): Promise<number> {
  const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
  const valid = operations.filter(({ file, name, document }) => {
    const [error] = validate(before, document);
    const shown = name === '' ? 'an unnamed operation' : name;
    if (error) note(`${file}: ${shown} is invalid before the change too: ${error.message}`);
    return error === undefined;
  });
  const places = valid.map((operation) => findBroken(operation, before, after, breaking));
  await printRows(places.flat(), format);
  const broken = places.filter(({ length }) => length > 0).length;
  note(`${broken} of ${operations.length} operations break.`);
  return broken > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}

function findBroken(
  { file, name, document }: FileOperation,
  before: GraphQLSchema,
  after: GraphQLSchema,
  breaking: readonly Change[],
): readonly BrokenPlace[] {
  const uses = listUses(before, document);
  const reasons = new Map(uses.map(({ node, deprecationReason }) => [node, deprecationReason]));
  const places = new Map<string, BrokenPlace>();
  const add = (node: ASTNode | undefined, change: string): void => {
    const { source, start = 0 } = node?.loc ?? {};
    const { line, column } = source === undefined ? { line: 1, column: 1 } : getLocation(source, start);
    const instead = (node && reasons.get(node)) ?? null;
    const place = { file: source?.name ?? file, operation: name, at: `${line}:${column}`, change, instead };
    // A place breaks once, by what validation says first, but several changes can concern the values of a variable.
    const key = `${place.file} ${place.at} ${node?.kind === Kind.VARIABLE_DEFINITION ? change : ''}`;
    if (!places.has(key)) places.set(key, place);
  };
  for (const { message, nodes } of validate(after, document)) add(nodes?.[0], message);
  for (const use of uses)
    for (const change of breaking) if (use.isChangedBy(change)) add(use.node, change.message);
  return [...places.values()];
}

/** Lists the fields of a document, and its variables, whose values can contain all of their input types. */
function listUses(schema: GraphQLSchema, document: FileOperation['document']): readonly Use[] {
  const uses: Use[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const coordinate = `${types.getParentType()?.name}.${node.name.value}`;
        const deprecationReason = types.getFieldDef()?.deprecationReason ?? null;
        uses.push({ node, deprecationReason, isChangedBy: ({ path }) => path === coordinate });
      },
      VariableDefinition(node) {
        const names = listInputTypes(schema, node.type);
        const isChangedBy = ({ path = '' }: Change): boolean => names.has(path.replace(/\..*/, ''));
        uses.push({ node, deprecationReason: null, isChangedBy });
      },
    }),
  );
  return uses;
}

/** Lists the names of a type and of all to which its input fields lead. */
function listInputTypes(schema: GraphQLSchema, node: TypeNode): ReadonlySet<string> {
  const names = new Set([getNamedType(typeFromAST(schema, node))?.name ?? '']);
  for (const name of names) {
    const type = schema.getType(name);
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) names.add(getNamedType(field.type).name);
  }
  return names;
}
