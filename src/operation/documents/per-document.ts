// Keeps what is known of documents, by the schema for which it holds.
import type { DocumentNode, GraphQLSchema } from 'graphql';

/** One value for each document of each schema, for as long as both exist. */
export class PerDocument<V> {
  readonly #bySchema = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, V>>();
  readonly #create: () => V;

  /** @param create Makes the value of a document that has none. */
  constructor(create: () => V) {
    this.#create = create;
  }

  get(schema: GraphQLSchema, document: DocumentNode): V {
    let values = this.#bySchema.get(schema);
    if (values === undefined) {
      values = new WeakMap();
      this.#bySchema.set(schema, values);
    }
    let value = values.get(document);
    if (value === undefined) {
      value = this.#create();
      values.set(document, value);
    }
    return value;
  }
}
