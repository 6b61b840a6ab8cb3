import type { Builder, QueryRef } from './builder.ts';
import type { OutcomeFields } from './types/outcome-fields.ts';

/** A service beside the management API that has its fields in the same schema. They are made of no description. */
export interface SchemaExtension {
  /** Names of its types and fields: an upstream's that falls on one gets the suffix `Resource`. */
  readonly names: {
    readonly types: readonly string[];
    readonly queries: readonly string[];
    readonly mutations: readonly string[];
  };
  /** Adds its types and fields; called once for each schema. */
  add(parts: ExtensionParts): void;
}

/** What an extension shares with the rest of the schema. */
export interface ExtensionParts {
  readonly builder: Builder;
  readonly query: QueryRef;
  readonly outcome: OutcomeFields;
}
