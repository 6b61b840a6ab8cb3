// Assembles the GraphQL schema of a description.
import type { GraphQLSchema } from 'graphql';
import type { Description, Finding } from '../upstream/description/description.ts';
import { runAtOnce, type Steps } from '../upstream/steps.ts';
import { Assembly } from './assembly.ts';
import { buildSchema } from './build-schema.ts';
import type { SchemaExtension } from './builder.ts';
import { applyTexts } from './descriptions/override-texts.ts';
import { describeTypes } from './descriptions/type-descriptions.ts';
import { addReverseEdges } from './fields/edges.ts';
import { addMutations } from './fields/mutations.ts';
import { addNodeFields } from './fields/node.ts';
import { addReads } from './fields/reads.ts';
import { addSession } from './fields/session-field.ts';
import { addActionStateResources, addStateFields, addSubscriptions } from './fields/subscriptions.ts';
import { findInternalResources } from './model/internal-resources.ts';
import { createModel } from './model/model.ts';
import { createPlan, type OperatorPlan } from './model/operator-plan.ts';
import type { Overrides } from './model/overrides.ts';
import { Report } from './model/report.ts';
import { type CallerAction, findCallerAction, type SessionUser, userForAll } from './model/session-user.ts';
import { type ReservedNames, reserveNames } from './names/naming.ts';
import { TypeNames } from './names/type-names.ts';
import type { SchemaAddition } from './schema-addition.ts';

/** A schema and the findings about its description. */
export interface AssembledSchema {
  readonly schema: GraphQLSchema;
  /** Findings that only responses of the API reveal are appended while the schema is served. */
  readonly findings: readonly Finding[];
}

/**
 * Assembles the schema of a description and of extensions. The same description, overrides and extensions give the same schema
 * in every process, in whatever order the description lists its resources and actions.
 * @param overrides Facts that the description lacks; default: none.
 * @param onLateFinding Called for each finding that is added while the schema is served.
 */
export function assembleSchema(
  description: Description,
  overrides: Overrides = {},
  extensions: readonly SchemaExtension[] = [],
  onLateFinding?: (finding: Finding) => void,
): AssembledSchema {
  return runAtOnce(assemblySteps(description, { overrides, extensions, onLateFinding }));
}

/** What a schema is assembled from, in addition to the description. */
export interface AssemblyOptions {
  /** Facts that the description lacks; default: none. */
  readonly overrides?: Overrides | undefined;
  readonly extensions?: readonly SchemaExtension[] | undefined;
  readonly onLateFinding?: ((finding: Finding) => void) | undefined;
  /** `reachable` leaves out the types to which no field leads. Default: all. */
  readonly types?: 'all' | 'reachable' | undefined;
  /** Types and fields next to the assembled ones. Default: none. */
  readonly addition?: SchemaAddition | undefined;
  /** Leaves out the type `Mutation`. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** Decides types and names. Default: the description itself does. */
  readonly operator?: OperatorPlan | undefined;
  /** The user of sessions as the API describes it to this caller. Default: what every caller may know of the operator's. */
  readonly sessionUser?: SessionUser | null | undefined;
}

/**
 * Plans the schema of a whole description for another schema that contains only a part of it. Its findings are not reported.
 * @param options Those of the other schema.
 */
export function* planSteps(
  description: Description,
  { overrides = {}, extensions = [] }: AssemblyOptions,
): Steps<OperatorPlan> {
  const report = new Report([]);
  const reserved = reservedNames(extensions);
  const model = yield* createModel(description, overrides, reserved, report, null);
  const names = yield* TypeNames.create(model, reserved, report, null);
  return createPlan(description, { overrides, reserved, report }, model, names);
}

const reservedNames = (extensions: readonly SchemaExtension[]): ReservedNames =>
  reserveNames(extensions.map(({ names }) => names));

/** A schema, and what decides the types of all callers. */
export interface PlannedSchema extends AssembledSchema {
  readonly plan: OperatorPlan;
  /** Answers the current user; null where the caller has no such action. */
  readonly callerAction: CallerAction | null;
}

/** Assembles a schema as `assembleSchema` does, in about one step for each resource, action and type. */
export function* assemblySteps(
  description: Description,
  {
    overrides = {},
    extensions = [],
    onLateFinding,
    addition,
    types = 'all',
    readOnly = false,
    operator,
    sessionUser,
  }: AssemblyOptions = {},
): Steps<PlannedSchema> {
  const report = new Report(description.findings, onLateFinding);
  const reserved = reservedNames(extensions);
  const user = sessionUser ?? userForAll(operator);
  const assembly = yield* Assembly.create(description, overrides, reserved, report, operator ?? null, user);
  addNodeFields(assembly);
  const callerAction = findCallerAction(description, assembly.model);
  addSession(assembly, callerAction, user);
  addStateFields(assembly);
  addActionStateResources(assembly);
  yield* addReads(assembly);
  yield* addReverseEdges(assembly);
  yield* addMutations(assembly);
  for (const extension of extensions) extension.add(assembly);
  addSubscriptions(assembly);
  const internal = findInternalResources(description.resources, overrides);
  const built = yield* buildSchema(assembly.builder, types, readOnly, internal);
  yield* describeTypes(built, assembly.actionFields);
  applyTexts(built, overrides, operator === undefined ? report : null);
  const schema = addition?.applyTo(built, report) ?? built;
  return { schema, findings: report.findings, plan: assembly.operator, callerAction };
}
