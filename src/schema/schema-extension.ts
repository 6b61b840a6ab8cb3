// Declares the interface of services that add fields to the schema.

import type { Builder, QueryRef } from './builder.ts';
import type { OutcomeFields } from './types/outcome-fields.ts';

/** A service next to the management API that adds fields to the same schema. Its fields do not come from a description. */
export interface SchemaExtension {
  /** Names of its types and fields. An upstream name that equals one of them gets the suffix `Resource`. */
  readonly names: {
    readonly types: readonly string[];
    readonly queries: readonly string[];
    readonly mutations: readonly string[];
  };
  /** Adds the types and fields. Called once for each schema. */
  add(parts: ExtensionParts): void;
}

/** The parts of the schema that an extension can use. */
export interface ExtensionParts {
  readonly builder: Builder;
  readonly query: QueryRef;
  readonly outcome: OutcomeFields;
}
