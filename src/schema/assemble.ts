// Assembles the GraphQL schema of a description.

import type { GraphQLSchema } from 'graphql';
import { AnswerSizes } from '../loaders/paging/kept/answer-sizes.ts';
import { ListOrders } from '../loaders/paging/kept/list-orders.ts';
import type { Description } from '../upstream/description/description.ts';
import type { Finding } from '../upstream/reader.ts';
import type { Assembly } from './assembly.ts';
import { createBuilder } from './builder.ts';
import { addActionStateResources } from './fields/action-state-resources.ts';
import { Connections } from './fields/connections.ts';
import { EdgeFilters } from './fields/edge-filters.ts';
import { addReverseEdges } from './fields/edges.ts';
import { addMutation } from './fields/mutations.ts';
import { addNodeFields } from './fields/node.ts';
import { type Host, Reads } from './fields/reads.ts';
import { addSession } from './fields/session-field.ts';
import { addStateFields, addSubscriptions } from './fields/subscriptions.ts';
import { isWrite } from './model/is-write.ts';
import { createModel, type ResourceModel } from './model/model.ts';
import type { Overrides } from './model/overrides.ts';
import { isPoll, type Placement, placeAction } from './model/placement.ts';
import { Report } from './model/report.ts';
import { FieldNames } from './names/field-names.ts';
import { type ReservedNames, reserveNames } from './names/naming.ts';
import { TypeNames } from './names/type-names.ts';
import { createFailureExplainer } from './resolve/failure-reasons.ts';
import { FieldSources } from './resolve/projection.ts';
import type { SchemaExtension } from './schema-extension.ts';
import { Enums } from './types/enums.ts';
import { Filters } from './types/filters.ts';
import { IdReader } from './types/ids.ts';
import { Inputs } from './types/inputs.ts';
import { ObjectTypes } from './types/objects.ts';
import { OutcomeFields } from './types/outcome-fields.ts';
import { PayloadTypes } from './types/payloads.ts';

/** A schema and the findings about its description. */
export interface AssembledSchema {
  readonly schema: GraphQLSchema;
  /** Findings that only responses of the API reveal are appended while the schema is served. */
  readonly findings: readonly Finding[];
}

/**
 * Assembles the schema of a description and of extensions. The same description, overrides and extensions give the same schema
 * in every process.
 * @param onLateFinding Called for each finding that is added while the schema is served.
 */
export function assembleSchema(
  description: Description,
  overrides: Overrides = {},
  extensions: readonly SchemaExtension[] = [],
  onLateFinding?: (finding: Finding) => void,
): AssembledSchema {
  const report = new Report(description.findings, onLateFinding);
  const reserved = reserveNames(extensions.map(({ names }) => names));
  const model = createModel(description, overrides, reserved, report);
  const assembly = createAssembly(description, model, overrides, reserved, report);
  const connections = new Connections(assembly);
  const filters = new Filters(assembly);
  const reads = new Reads(assembly, connections, filters);
  const query = new FieldNames('Query', report);
  for (const name of reserved.queries) query.claim(name, 'Query');

  addNodeFields(assembly);
  addSession(assembly);
  addStateFields(assembly);
  addActionStateResources(assembly);
  const placements = placeReads(assembly);
  for (const placement of placements) {
    const host = findHost(assembly, placement, query);
    if (host !== null) reads.add(placement, host);
  }
  for (const { resource, action, on } of placements) {
    if (action.name === 'index' && on === 'root')
      addReverseEdges(assembly, connections, filters, resource, action);
  }
  const outcome = new OutcomeFields(assembly.builder, assembly.query);
  addMutations(assembly, outcome);
  for (const extension of extensions) extension.add({ ...assembly, outcome });
  addSubscriptions(assembly);
  // Introspection and the explorer list types and fields in the order of the schema.
  return { schema: assembly.builder.toSchema({ sortSchema: true }), findings: report.findings };
}

function createAssembly(
  { metaNamespace }: Description,
  model: ReadonlyMap<string, ResourceModel>,
  overrides: Overrides,
  reserved: ReservedNames,
  report: Report,
): Assembly {
  const { builder, query } = createBuilder();
  const names = new TypeNames(model, reserved, report);
  const ids = new IdReader(model);
  const sources = new FieldSources();
  const enums = new Enums({ builder, names, overrides, report });
  const inputs = new Inputs(model, enums, ids, report);
  const types = new ObjectTypes({ builder, model, metaNamespace, names, sources, enums, report });
  const orders = new ListOrders(new Map(Object.entries(overrides.listOrder ?? {})));
  return {
    builder,
    query,
    model,
    metaNamespace,
    overrides,
    report,
    reserved,
    names,
    enums,
    inputs,
    ids,
    sources,
    orders,
    sizes: new AnswerSizes(),
    edgeFilters: new EdgeFilters(report),
    types,
  };
}

/** Returns the placements of all reads. `show` and `index` come first, so that they take precedence in name clashes. */
function placeReads({ model }: Assembly): readonly Placement[] {
  const rank = (name: string): number => ['show', 'index'].indexOf(name) >>> 0;
  const placements: Placement[] = [];
  for (const resource of model.values()) {
    for (const action of resource.reads) {
      if (!isPoll(action)) placements.push(placeAction(resource, action));
    }
  }
  return placements.sort((a, b) => rank(a.action.name) - rank(b.action.name));
}

function addMutations(assembly: Assembly, outcome: OutcomeFields): void {
  const { builder, model, overrides, reserved, report } = assembly;
  const writes = [...model.values()].flatMap((resource) =>
    resource.actions
      .filter((action) => isWrite(action, overrides))
      .map((action) => placeAction(resource, action)),
  );
  if (writes.length === 0 && reserved.mutations.size === 0) return;
  builder.mutationType({
    description:
      'The mutation root, for writing data to the management API. The fields run one after another. A write that the API may have carried out is never repeated.',
  });
  const payloads = {
    types: new PayloadTypes(assembly, outcome),
    explainFailure: createFailureExplainer(assembly),
  };
  const names = new FieldNames('Mutation', report);
  for (const name of reserved.mutations) names.claim(name, 'Mutation');
  for (const write of writes) addMutation(assembly, payloads, write, names);
}

/** Returns the type to which a read is added. Returns null and adds a finding if no type has the IDs that its path needs. */
function findHost({ types, report }: Assembly, placement: Placement, query: FieldNames): Host | null {
  const { resource, action } = placement;
  const isFetchedById = action.name === 'show' && placement.on === 'object';
  const hasParents =
    resource.path.length > 1 && action.path.placeholders.some((name) => isParent(resource, name));
  const kind = !isFetchedById ? placement.on : hasParents ? 'parent' : 'root';
  if (kind === 'root') return { kind, ref: null, fields: query };
  const owner = kind === 'object' ? resource : nearestParent(resource, action.path.placeholders);
  const type = owner === null ? null : types.typeFor(owner);
  if (type !== null && owner !== null && hasRequiredIds(owner, placement, kind)) return { kind, ...type };
  report.add('READ_NOT_PLACED', action.scope, 'no type has the IDs that its path needs; left out');
  return null;
}

const isParent = ({ path }: ResourceModel, placeholder: string): boolean =>
  path.slice(0, -1).some((name) => `${name}_id` === placeholder);

/** Returns the nearest ancestor whose ID is among the placeholders. */
function nearestParent(resource: ResourceModel, placeholders: readonly string[]): ResourceModel | null {
  for (let parent = resource.parent; parent !== null; parent = parent.parent) {
    if (placeholders.includes(`${parent.path.at(-1)}_id`)) return parent;
  }
  return null;
}

/** Whether the objects of a resource and the arguments supply all values that a path needs. */
function hasRequiredIds(
  owner: ResourceModel,
  { resource, action, arguments: argumentNames }: Placement,
  kind: Host['kind'],
): boolean {
  const known = new Set([...owner.identity.placeholders, ...argumentNames]);
  const ownId = kind === 'parent' && action.name === 'show' ? resource.identity.idPlaceholder : null;
  return action.path.placeholders.every((name) => known.has(name) || name === ownId);
}
