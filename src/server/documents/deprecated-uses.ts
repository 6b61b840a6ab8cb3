// Finds the deprecated elements that operations use.
import {
  type DocumentNode,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  separateOperations,
} from 'graphql';
import { listUsedElements } from '../../schema/changes/used-elements.ts';
import { PerDocument } from './documents.ts';

const NONE: readonly string[] = Object.freeze([]);

/** The deprecated elements of the operations of one document, by the operation's name; an unnamed one has an empty name. */
type Uses = Map<string, readonly string[]>;

/** Finds the deprecated elements that operations use: once for each document, and never in a schema that has none. */
export class DeprecatedUses {
  readonly #uses = new PerDocument<Uses>(() => new Map());
  readonly #schemas = new WeakMap<GraphQLSchema, boolean>();

  /**
   * Returns coordinates such as `Book.title`, each once. Those that only values of variables contain are not among them.
   * @param document One that is valid.
   * @param operationName Null for the only operation.
   */
  find(schema: GraphQLSchema, document: DocumentNode, operationName: string | null): readonly string[] {
    if (!this.#isConcerned(schema)) return NONE;
    const uses = this.#uses.get(schema, document);
    if (uses.size === 0) {
      for (const [name, operation] of Object.entries(separateOperations(document)))
        uses.set(name, listDeprecated(schema, operation));
    }
    const [only = NONE] = uses.values();
    return operationName === null ? only : (uses.get(operationName) ?? NONE);
  }

  #isConcerned(schema: GraphQLSchema): boolean {
    let isConcerned = this.#schemas.get(schema);
    if (isConcerned === undefined) {
      isConcerned = hasDeprecated(schema);
      this.#schemas.set(schema, isConcerned);
    }
    return isConcerned;
  }
}

function listDeprecated(schema: GraphQLSchema, operation: DocumentNode): readonly string[] {
  const used = listUsedElements(schema, operation).filter(
    ({ deprecationReason }) => deprecationReason !== null,
  );
  return [...new Set(used.map(({ coordinate }) => coordinate))];
}

function hasDeprecated(schema: GraphQLSchema): boolean {
  const isDeprecated = (element: { readonly deprecationReason?: string | null | undefined }): boolean =>
    typeof element.deprecationReason === 'string';
  return Object.values(schema.getTypeMap()).some((type) => {
    if (isEnumType(type)) return type.getValues().some(isDeprecated);
    if (isInputObjectType(type)) return Object.values(type.getFields()).some(isDeprecated);
    if (!isObjectType(type) && !isInterfaceType(type)) return false;
    return Object.values(type.getFields()).some(
      (field) => isDeprecated(field) || field.args.some(isDeprecated),
    );
  });
}
