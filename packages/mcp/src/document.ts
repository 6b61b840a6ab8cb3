// Reads the documents of an agent, and what they would change.
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  print,
  type SelectionSetNode,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The variables of an operation. */
export type Variables = Readonly<Record<string, unknown>>;

/** A document that a tool does not carry out. Its message says why, and what to do. */
export class RefusedDocument extends Error {}

/** Parses a document with one operation of a kind. @throws RefusedDocument, GraphQLError */
export function readDocument(text: string, kind: OperationTypeNode) {
  const document = parse(text, { maxTokens: 5_000 });
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations as OperationDefinitionNode[];
  if (operation === undefined || operations.length > 1)
    throw new RefusedDocument('Send one operation in a document.');
  if (operation.operation !== kind)
    throw new RefusedDocument(
      kind === 'query'
        ? 'The tool "query" takes queries only. Changes need the tool "write", running actions "follow_action".'
        : 'The tool "write" takes mutations only. For queries there is the tool "query".',
    );
  return { document, operation };
}

/** The alias of the cursors that are added to a query. */
export const CURSORS = 'cursors_';
const SELECTED = (parse(`{ ${CURSORS}: edges { cursor } }`).definitions[0] as OperationDefinitionNode)
  .selectionSet.selections;

/** Adds the cursors of rows to selections of `nodes`, so that a list can be continued after any row. */
export function withCursors(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const types = new TypeInfo(schema);
  const addCursors = (node: SelectionSetNode): SelectionSetNode | undefined => {
    const type = types.getParentType();
    if (!isObjectType(type) || type.getFields()['edges'] === undefined) return undefined;
    const hasNodes = node.selections.some(
      (selection) =>
        selection.kind === Kind.FIELD && selection.name.value === 'nodes' && selection.alias === undefined,
    );
    return hasNodes ? { ...node, selections: [...node.selections, ...SELECTED] } : undefined;
  };
  return visit(document, visitWithTypeInfo(types, { SelectionSet: { leave: addCursors } }));
}

/** A change that a mutation asks for. */
export interface Change {
  readonly field: string;
  readonly arguments: unknown;
}

/** Lists what a mutation changes. @throws RefusedDocument where that is not plain to see. */
export function readChanges(operation: OperationDefinitionNode, variables: Variables): readonly Change[] {
  return operation.selectionSet.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD || (selection.directives ?? []).length > 0)
      throw new RefusedDocument('Write the fields of a mutation without fragments and directives.');
    return { field: selection.name.value, arguments: readArguments(selection, variables) };
  });
}

const readArguments = ({ arguments: given = [] }: FieldNode, variables: Variables): unknown =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]));

/** A text that is the same for the same operation, however it is written. */
export const canonical = (document: DocumentNode, variables: Variables): string =>
  JSON.stringify([print(document), sorted(variables)]);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}
