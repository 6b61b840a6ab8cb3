// Assembles the GraphQL schema of a description: the model, all types, then the fields.
import type { GraphQLSchema } from 'graphql';
import type { Description, Finding } from '../upstream/description/description.ts';
import { buildSchema } from './build-schema.ts';
import { createBuilder, type SchemaExtension } from './builder.ts';
import { type ActionFields, applyTexts, describeTypes } from './descriptions/describe-schema.ts';
import { createConnections } from './fields/connections.ts';
import { addReverseEdges } from './fields/edges.ts';
import { addMutations } from './fields/mutations.ts';
import { addNodeFields } from './fields/node.ts';
import { addReads } from './fields/reads.ts';
import { addSession, type CallerAction, findCallerAction } from './fields/session-field.ts';
import { addActionStateResources, addStateFields, addSubscriptions } from './fields/subscriptions.ts';
import { memo } from './memo.ts';
import { createModel, type Model } from './model/model.ts';
import type { Overrides } from './model/overrides.ts';
import { References } from './model/references.ts';
import { Report } from './model/report.ts';
import { type NamedEdge, nameEdges } from './names/edge-names.ts';
import { type ReservedNames, reserveNames } from './names/naming.ts';
import { ownFieldsOf } from './names/read-names.ts';
import { namesOfTypes } from './names/type-names.ts';
import { GivenNames, type UniqueNames } from './names/unique-names.ts';
import { filterSchema } from './rights/filter-schema.ts';
import type { VisibleParts } from './rights/visible-parts.ts';
import type { SchemaAddition } from './schema-addition.ts';
import { Enums } from './types/enums.ts';
import { IdReader } from './types/ids.ts';
import { createFilters } from './types/inputs.ts';
import { ObjectTypes } from './types/objects.ts';
import { createUserErrorType } from './types/payloads.ts';
import { BIG_INT } from './types/scalars.ts';

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

/** The parts that the steps of one assembly share. Each part uses only those above it. */
export class Assembly {
  readonly overrides: Overrides;
  readonly reserved: ReservedNames;
  readonly report: Report;
  /** Key of metadata in responses. */
  readonly metaNamespace: string;
  readonly given: GivenNames;
  readonly typeNames: UniqueNames;
  readonly model: Model;
  readonly builder;
  readonly query;
  readonly references: References;
  readonly edges: readonly NamedEdge[];
  readonly ids: IdReader;
  readonly enums: Enums;
  readonly types: ObjectTypes;
  readonly filterFor: ReturnType<typeof createFilters>;
  readonly connectionFor: ReturnType<typeof createConnections>;
  readonly userErrorOf = memo(createUserErrorType);
  /** For the descriptions of types. */
  readonly actionFields: ActionFields = new Map();

  /** Creates the model, all names and the types of all resources. */
  constructor(description: Description, overrides: Overrides, reserved: ReservedNames, report: Report) {
    this.overrides = overrides;
    this.reserved = reserved;
    this.report = report;
    this.metaNamespace = description.metaNamespace;
    this.given = new GivenNames(overrides.names, report);
    this.typeNames = namesOfTypes(this, reserved);
    this.model = createModel(description, this);
    const ownFields = ownFieldsOf(this.model, reserved);
    this.references = new References(this.model, overrides, ownFields, report);
    this.edges = nameEdges(this.model, this.references, ownFields);
    const { builder, query } = createBuilder();
    this.builder = builder;
    this.query = query;
    this.ids = new IdReader(this.model);
    this.enums = new Enums(this);
    if ([...this.model.values()].some(({ bigInts }) => bigInts.size > 0))
      builder.addScalarType('BigInt', BIG_INT);
    this.types = new ObjectTypes(this);
    this.filterFor = createFilters(this);
    this.connectionFor = createConnections(this);
    this.types.declareAll();
  }
}

/**
 * Assembles the schema of a description. The same description and overrides give the same schema in every process, in whatever order the
 * description lists its resources and actions.
 * @param overrides Facts that the description lacks; default: none.
 */
export const assembleSchema = (description: Description, overrides: Overrides = {}): AssembledSchema =>
  assemble(description, { overrides });

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
  const built = buildSchema(assembly, types, readOnly);
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
