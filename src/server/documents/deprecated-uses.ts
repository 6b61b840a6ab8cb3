// Finds the deprecated elements that operations use.
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { PerDocument } from './documents.ts';

/** The deprecated elements of the operations of a document, by the operation's name; an unnamed one has an empty name. */
const usesOf = new PerDocument<Map<string, readonly string[]>>(() => new Map());

/**
 * Returns the coordinates of the deprecated elements that an operation uses, such as `Book.title`, each once. Those that only values of
 * variables contain are not among them. Each document is searched once.
 * @param document One that is valid.
 * @param operationName Null for the only operation.
 */
export function findDeprecatedUses(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
): readonly string[] {
  const uses = usesOf.get(schema, document);
  if (uses.size === 0)
    for (const [name, operation] of Object.entries(separateOperations(document)))
      uses.set(name, listDeprecated(schema, operation));
  const [only = []] = uses.values();
  return operationName === null ? only : (uses.get(operationName) ?? []);
}

function listDeprecated(schema: GraphQLSchema, operation: DocumentNode): readonly string[] {
  const found = new Set<string>();
  const types = new TypeInfo(schema);
  const add = (
    element:
      | { readonly name: string; readonly deprecationReason?: string | null | undefined }
      | null
      | undefined,
    ...hosts: readonly ({ readonly name: string } | null | undefined)[]
  ): void => {
    if (typeof element?.deprecationReason === 'string')
      found.add([...hosts, element].map((part) => part?.name).join('.'));
  };
  visit(
    operation,
    visitWithTypeInfo(types, {
      Field: () => add(types.getFieldDef(), types.getParentType()),
      Argument() {
        if (!types.getDirective()) add(types.getArgument(), types.getParentType(), types.getFieldDef());
      },
      ObjectField({ name }) {
        const host = getNamedType(types.getParentInputType());
        if (isInputObjectType(host)) add(host.getFields()[name.value], host);
      },
      EnumValue: () => add(types.getEnumValue(), getNamedType(types.getInputType())),
    }),
  );
  return [...found];
}
