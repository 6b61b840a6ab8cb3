// Assembles the GraphQL schema of a description.
import type { GraphQLSchema } from 'graphql';
import type { Description, Finding } from '../upstream/description/description.ts';
import { Assembly } from './assembly.ts';
import { buildSchema } from './build-schema.ts';
import type { SchemaExtension } from './builder.ts';
import { applyTexts, describeTypes } from './descriptions/describe-schema.ts';
import { addReverseEdges } from './fields/edges.ts';
import { addMutations } from './fields/mutations.ts';
import { addNodeFields } from './fields/node.ts';
import { addReads } from './fields/reads.ts';
import { addSession } from './fields/session-field.ts';
import { addActionStateResources, addStateFields, addSubscriptions } from './fields/subscriptions.ts';
import { findInternalResources } from './model/internal-resources.ts';
import type { Overrides } from './model/overrides.ts';
import { Report } from './model/report.ts';
import { type CallerAction, findCallerAction } from './model/session-user.ts';
import { reserveNames } from './names/naming.ts';
import { filterSchema } from './rights/filter-schema.ts';
import type { VisibleParts } from './rights/visible-parts.ts';
import type { SchemaAddition } from './schema-addition.ts';

/** A schema and the findings about its description. */
export interface AssembledSchema {
  readonly schema: GraphQLSchema;
  /** Findings that only responses of the API reveal are appended while the schema is served. */
  readonly findings: readonly Finding[];
}

/** What a schema is assembled from, in addition to the description. */
export interface AssemblyOptions {
  /** Facts that the description lacks; default: none. */
  readonly overrides?: Overrides | undefined;
  readonly extensions?: readonly SchemaExtension[] | undefined;
  /** Called for each finding that is added while the schema is served. */
  readonly onLateFinding?: ((finding: Finding) => void) | undefined;
  /** `reachable` leaves out the types to which no field leads. Default: all. */
  readonly types?: 'all' | 'reachable' | undefined;
  /** Types and fields next to the assembled ones. Default: none. */
  readonly addition?: SchemaAddition | undefined;
  /** Leaves out the type `Mutation`. Default: false. */
  readonly readOnly?: boolean | undefined;
}

/** An assembled schema, from which those of callers with fewer rights can be made. */
export interface Assembled extends AssembledSchema {
  /** Answers the current user; null where the description has no such action. */
  readonly callerAction: CallerAction | null;
  /** Makes the schema of a caller who has only some parts of the description. */
  schemaWith(parts: VisibleParts): GraphQLSchema;
}

/**
 * Assembles the schema of a description and of extensions. The same description, overrides and extensions give the same schema
 * in every process, in whatever order the description lists its resources and actions.
 * @param overrides Facts that the description lacks; default: none.
 * @param onLateFinding Called for each finding that is added while the schema is served.
 */
export const assembleSchema = (
  description: Description,
  overrides: Overrides = {},
  extensions: readonly SchemaExtension[] = [],
  onLateFinding?: (finding: Finding) => void,
): AssembledSchema => assemble(description, { overrides, extensions, onLateFinding });

/** Assembles a schema as `assembleSchema` does, for callers with other rights too. */
export function assemble(
  description: Description,
  {
    overrides = {},
    extensions = [],
    onLateFinding,
    addition,
    types = 'all',
    readOnly = false,
  }: AssemblyOptions = {},
): Assembled {
  const report = new Report(description.findings, onLateFinding);
  const assembly = new Assembly(
    description,
    overrides,
    reserveNames(extensions.map(({ names }) => names)),
    report,
  );
  addNodeFields(assembly);
  const callerAction = findCallerAction(description, assembly.model);
  addSession(assembly, callerAction);
  addStateFields(assembly);
  addActionStateResources(assembly);
  addReads(assembly);
  addReverseEdges(assembly);
  addMutations(assembly);
  for (const extension of extensions) extension.add(assembly);
  addSubscriptions(assembly);
  assembly.given.reportUnused();
  const internal = findInternalResources(description.resources, overrides);
  const built = buildSchema(assembly.builder, types, readOnly, internal);
  const extended = addition?.applyTo(built, report) ?? built;
  /** @param of Takes the findings. Null for the schema of a caller, who may lack what the overrides are about. */
  const describe = (schema: GraphQLSchema, of: Report | null): GraphQLSchema => {
    describeTypes(schema, assembly.actionFields);
    applyTexts(schema, overrides, of);
    return schema;
  };
  return {
    schema: describe(extended, report),
    findings: report.findings,
    callerAction,
    schemaWith: (parts) => describe(filterSchema(extended, parts), null),
  };
}
