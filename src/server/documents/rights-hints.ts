// Explains missing fields and types that other callers have.
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Session } from '../../callers/session.ts';

/** What graphql-js says of a field or a type that the schema lacks. Suggestions follow. */
const LACK = /^(?:Cannot query field "(?<field>\w+)" on type|Unknown type) "(?<type>\w+)"\./;

/** Adds hints to the errors of validations. */
export class RightsHints {
  readonly #schemas: () => Iterable<GraphQLSchema>;
  readonly #hintsAnonymous: boolean;

  /**
   * @param schemas Returns the schemas of all callers.
   * @param hintsAnonymous Whether callers without a credential get the hint. It shows them that the field exists.
   */
  constructor(schemas: () => Iterable<GraphQLSchema>, hintsAnonymous: boolean) {
    this.#schemas = schemas;
    this.#hintsAnonymous = hintsAnonymous;
  }

  /**
   * Adds a hint to each error about a field or type that the caller's schema lacks and another caller's has: to sign in, or to get
   * other rights. The error reveals nothing else about it.
   */
  add(errors: readonly GraphQLError[], session: Session): readonly GraphQLError[] {
    const isAnonymous = session.caller.credential === null;
    if (isAnonymous && !this.#hintsAnonymous) return errors;
    const hint = isAnonymous ? 'Sign in to use it.' : 'It needs other rights than yours.';
    return errors.map((error) => {
      const lack = LACK.exec(error.message);
      const { type = '', field } = lack?.groups ?? {};
      if (lack === null || ![...this.#schemas()].some((schema) => has(schema, type, field))) return error;
      session.revalidateRights();
      return new GraphQLError(`${lack[0]} ${hint}`, {
        nodes: error.nodes ?? null,
        extensions: error.extensions,
      });
    });
  }
}

function has(schema: GraphQLSchema, typeName: string, field: string | undefined): boolean {
  const type = schema.getType(typeName);
  if (type === undefined || field === undefined) return type !== undefined;
  return 'getFields' in type && field in type.getFields();
}
