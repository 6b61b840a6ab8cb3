import { mayShow, parentRow, referredRow, usable } from '../domain/access.ts';
import type { Answer, Api, Association, Call, Item, Parameters, Resource, Row } from './definition.ts';
import type { Store } from './store.ts';

/** Associations to resolve, each with those to resolve within it. */
type Includes = ReadonlyMap<string, Includes>;
type Output = Record<string, unknown>;

const deepest = 16;

/** The `response` of an answer: items under the namespace, and global metadata. */
export function writeOutput(call: Call, answer: Answer): Readonly<Output> {
  const { action, meta } = call;
  const { layout, namespace, parameters } = action.output;
  const includes = includesOf(call, meta.includes);
  const global: Output = {};
  if (meta.count && answer.total !== undefined) global['total_count'] = answer.total;
  if (action.definition.blocking) global['action_state_id'] = answer.actionState ?? null;
  const items = answer.items.map((item) => write(call, parameters, item, includes));
  const listed = layout === 'object_list' || layout === 'hash_list';
  if (action.objectMeta) {
    for (const [index, item] of answer.items.entries()) {
      const itemMeta = objectMeta(call.store, action.resource, item);
      if (!listed) Object.assign(global, itemMeta);
      else if (!meta.no) Object.assign(items[index] ?? {}, { _meta: itemMeta });
    }
  }
  return { [namespace]: listed ? items : (items[0] ?? {}), ...(meta.no ? {} : { _meta: global }) };
}

/** The ids that stand in the path of a row, outermost first. */
export function pathParams(store: Store, resource: Resource, row: Row): readonly number[] {
  const above = parentRow(store, resource, row);
  return [...(above && resource.parent ? pathParams(store, resource.parent, above) : []), row.id];
}

function objectMeta(store: Store, resource: Resource, item: Item): Output {
  return { path_params: isRow(item) ? pathParams(store, resource, item) : [], resolved: true };
}

function write(call: Call, parameters: Parameters, fields: Item, includes: Includes): Output {
  const output: Output = {};
  for (const [name, parameter] of Object.entries(usable(call.caller, parameters))) {
    if (parameter.type === 'Resource') {
      const id = fields[name];
      if (id !== undefined) output[name] = refer(call, parameter, id, includes.get(name));
    } else {
      const value = parameter.tell ? parameter.tell(fields, call) : fields[name];
      if (value !== undefined) output[name] = value;
    }
  }
  return output;
}

function refer(
  call: Call,
  association: Association,
  id: unknown,
  includes: Includes | undefined,
): Output | null {
  const referred = referredRow(call, association, id);
  if (!referred) return null;
  const { resource, row } = referred;
  if (!mayShow(call, resource, row)) return { _meta: { resolved: false, authorized: false } };
  const path_params = pathParams(call.store, resource, row);
  if (includes && !association.ignoresIncludes) {
    const whole = write(call, resource.definition.output, row, includes);
    return { ...whole, _meta: { path_params, resolved: true } };
  }
  const { valueLabel } = association;
  return { id: row.id, [valueLabel]: row[valueLabel] ?? null, _meta: { path_params, resolved: false } };
}

/** A name that is no association makes its whole path void, as on the reference server. */
function includesOf({ api, action }: Call, paths: readonly string[]): Includes {
  const root = new Map<string, Includes>();
  for (const path of paths) {
    const names = path.split('__');
    if (names.length > deepest || !areAssociations(api, action.output.parameters, names)) continue;
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
  return areAssociations(api, api.resource(parameter.resource).definition.output, rest);
}

function isRow(fields: Item): fields is Row {
  return typeof fields['id'] === 'number';
}
