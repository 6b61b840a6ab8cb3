// Writes the output of an action: its items, the included associations, and the metadata.
import { findParentRow, findReferredRow, mayShow, usableParameters } from '../domain/access.ts';
import type { Api, Association, Call, Item, Parameters, Resource, Row, Success } from './definition.ts';
import type { Store } from './store.ts';

/** The associations to resolve, each with the associations to resolve in its object. */
type Includes = ReadonlyMap<string, Includes>;
type Output = Record<string, unknown>;

/** The longest path in `includes` that is resolved. */
const MAX_INCLUDES_DEPTH = 16;

/** Returns the `response` of the envelope: the items under their namespace, and the global metadata. */
export function writeOutput(call: Call, answer: Success): Readonly<Output> {
  const { action, meta } = call;
  const { layout, namespace, parameters } = action.output;
  const includes = parseIncludes(call, meta.includes);
  const global: Output = {};
  if (meta.count && answer.total !== undefined) global['total_count'] = answer.total;
  if (action.definition.blocking) global['action_state_id'] = answer.actionState ?? null;
  const items = answer.items.map((item) => writeItem(call, parameters, item, includes));
  const isList = layout === 'object_list' || layout === 'hash_list';
  if (action.hasObjectMeta) {
    for (const [index, item] of answer.items.entries()) {
      const itemMeta = createObjectMeta(call.store, action.resource, item);
      if (!isList) Object.assign(global, itemMeta);
      else if (!meta.isOmitted) Object.assign(items[index] ?? {}, { _meta: itemMeta });
    }
  }
  return { [namespace]: isList ? items : (items[0] ?? {}), ...(meta.isOmitted ? {} : { _meta: global }) };
}

/** Returns the ids in the path of a row, outermost first. */
export function pathParams(store: Store, resource: Resource, row: Row): readonly number[] {
  const parent = findParentRow(store, resource, row);
  return [...(parent && resource.parent ? pathParams(store, resource.parent, parent) : []), row.id];
}

function createObjectMeta(store: Store, resource: Resource, item: Item): Output {
  return { path_params: isRow(item) ? pathParams(store, resource, item) : [], resolved: true };
}

function writeItem(call: Call, parameters: Parameters, fields: Item, includes: Includes): Output {
  const output: Output = {};
  for (const [name, parameter] of Object.entries(usableParameters(call.caller, parameters))) {
    if (parameter.type === 'Resource') {
      const id = fields[name];
      if (id !== undefined) output[name] = writeAssociation(call, parameter, id, includes.get(name));
    } else {
      const value = parameter.compute ? parameter.compute(fields, call) : fields[name];
      if (value !== undefined) output[name] = value;
    }
  }
  return output;
}

function writeAssociation(
  call: Call,
  association: Association,
  id: unknown,
  includes: Includes | undefined,
): Output | null {
  const referred = findReferredRow(call, association, id);
  if (!referred) return null;
  const { resource, row } = referred;
  if (!mayShow(call, resource, row)) return { _meta: { resolved: false, authorized: false } };
  const path_params = pathParams(call.store, resource, row);
  if (includes && !association.ignoresIncludes) {
    const whole = writeItem(call, resource.definition.output, row, includes);
    return { ...whole, _meta: { path_params, resolved: true } };
  }
  const { valueLabel } = association;
  return { id: row.id, [valueLabel]: row[valueLabel] ?? null, _meta: { path_params, resolved: false } };
}

/** Ignores a path in which a name is not an association, as the reference server does. */
function parseIncludes({ api, action }: Call, paths: readonly string[]): Includes {
  const root = new Map<string, Includes>();
  for (const path of paths) {
    const names = path.split('__');
    if (names.length > MAX_INCLUDES_DEPTH || !areAssociations(api, action.output.parameters, names)) continue;
    let level: Map<string, Includes> = root;
    for (const name of names) {
      const inner = new Map(level.get(name) ?? []);
      level.set(name, inner);
      level = inner;
    }
  }
  return root;
}

function areAssociations(api: Api, parameters: Parameters, names: readonly string[]): boolean {
  const [name, ...rest] = names;
  if (name === undefined) return true;
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (parameter?.type !== 'Resource') return false;
  return areAssociations(api, api.getResource(parameter.resource).definition.output, rest);
}

function isRow(fields: Item): fields is Row {
  return typeof fields['id'] === 'number';
}
