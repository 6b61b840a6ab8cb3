// Derives from a description what identifies the objects of a resource: placeholders, their types, and output parameters.
import type { Identity, PlaceholderType } from '../../loaders/identity.ts';
import type { Action, Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import { findAction } from './model.ts';
import type { Overrides } from './overrides.ts';
import type { Report } from './report.ts';

/** The parts of a description from which an identity is derived. */
interface Described {
  readonly path: readonly string[];
  /** Identities of the ancestors, the outermost first. */
  readonly ancestors: readonly Identity[];
  readonly actions: readonly Action[];
  readonly reads: readonly Action[];
  /** The output parameters of `show` and `index`. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The associations that refer to the resource. */
  readonly references: readonly ResourceParameter[];
}

/**
 * Derives what identifies the objects of a resource. Placeholders of parents belong to the parents; the other placeholders of `show`
 * belong to the resource. Without `show`, the id in rows or in associations identifies an object.
 */
export function deriveIdentity(described: Described, overrides: Overrides, report: Report): Identity {
  const { path, ancestors, reads, parameters, references } = described;
  const show = findAction(reads, 'show');
  const mainRead = show ?? findAction(reads, 'index');
  // Placeholders of an ancestor have the name `<resource>_id`.
  const parents = mainRead
    ? path.slice(0, -1).map((name) => mainRead.path.placeholders.filter((one) => one === `${name}_id`))
    : (ancestors.at(-1)?.segments ?? []);
  const known = new Set(parents.flat());
  const idName = `${path.at(-1)}_id`;
  const ownPlaceholders = show?.path.placeholders.filter((name) => !known.has(name)) ?? [idName];
  const pathId = pathIdOf(described, ownPlaceholders, overrides, report);
  const hasId = show !== null || pathId !== null || parameters.has('id') || references.length > 0;
  const segments = [...parents, hasId ? ownPlaceholders : []];
  const placeholders = segments.flat();
  const last = segments.at(-1)?.at(-1) ?? null;
  const idPlaceholder = last === idName || last === 'id' || pathId !== null ? last : null;
  const idParameter = pathId ?? idParameterOf(parameters, references);
  const valueTypes = placeholderTypes(described, segments, idPlaceholder, idParameter);
  return { path, segments, placeholders, idPlaceholder, idParameter, valueTypes, show };
}

/** Returns the output parameter that the overrides name as the id in the path of an object; null where they name none. */
function pathIdOf(
  { path, parameters }: Described,
  ownPlaceholders: readonly string[],
  { pathIds = {} }: Overrides,
  report: Report,
): string | null {
  const key = path.join('.');
  const name = Object.hasOwn(pathIds, key) ? pathIds[key] : undefined;
  // Without outputs, the caller may not read the objects.
  if (name === undefined || parameters.size === 0) return null;
  const parameter = parameters.get(name);
  const isUsable = parameter !== undefined && canBeId(parameter);
  if (isUsable && ownPlaceholders.length === 1) return name;
  const reason = isUsable
    ? `"pathIds" names ${JSON.stringify(name)}, but the path of show has ${ownPlaceholders.length} ids of its own; left out`
    : `"pathIds" names ${JSON.stringify(name)}, which is no text or integer in the output of show or index; left out`;
  report.add('OVERRIDE_UNUSABLE', key, reason);
  return null;
}

/** Whether the values of a parameter may stand in paths. */
export const canBeId = (parameter: Parameter): boolean =>
  (parameter.type === 'Integer' || parameter.type === 'String') && !parameter.protected;

/** Returns the parameter that identifies an object: `id`, or the key by which all associations identify objects of the resource. */
function idParameterOf(
  parameters: ReadonlyMap<string, Parameter>,
  references: readonly ResourceParameter[],
): string {
  const [key, ...others] = new Set(references.map(({ valueId }) => valueId));
  const isKey = key !== undefined && others.length === 0 && parameters.has(key);
  return isKey && !parameters.has('id') ? key : 'id';
}

/**
 * Derives the types of placeholders. The resource's own ID has the type of the output parameter that identifies it, a parent's ID has its
 * type on the parent, and another placeholder has the type of the output parameter with the same name.
 */
function placeholderTypes(
  { ancestors, actions, references }: Described,
  segments: Identity['segments'],
  idPlaceholder: string | null,
  idParameter: string,
): ReadonlyMap<string, PlaceholderType> {
  const outputTypes = new Map<string, PlaceholderType>();
  for (const { name, type } of actions.flatMap(({ output }) => output.parameters))
    outputTypes.set(name, type === 'Integer' && outputTypes.get(name) !== 'text' ? 'integer' : 'text');
  const idKeys = new Set([idParameter, ...references.map(({ valueId }) => valueId)]);
  const [ownType, ...others] = new Set([...idKeys].map((name) => outputTypes.get(name)));
  const types = new Map<string, PlaceholderType>();
  for (const [depth, placeholders] of segments.entries()) {
    const above = ancestors[depth];
    const inherited = above?.valueTypes.get(above.idPlaceholder ?? '');
    for (const placeholder of placeholders) {
      const own = placeholder === idPlaceholder && others.length === 0 ? ownType : undefined;
      const type = own ?? inherited ?? outputTypes.get(placeholder);
      if (type !== undefined) types.set(placeholder, type);
    }
  }
  return types;
}

/** Whether the rows of a resource's list contain their ids, or the path of the list does. Adds a finding where one is missing. */
export function identifiesRows(
  typeName: string,
  index: Action | null,
  { path, placeholders, idPlaceholder, idParameter }: Identity,
  report: Report,
): boolean {
  if (index === null) return true;
  const known = new Set([...index.path.placeholders, ...index.output.parameters.map(({ name }) => name)]);
  const missing = placeholders.filter(
    (name) => !known.has(name) && !(name === idPlaceholder && known.has(idParameter)),
  );
  if (missing.length === 0) return true;
  const isOwnId = missing.length === 1 && missing[0] === placeholders.at(-1);
  const remedy = isOwnId
    ? `; if one of their values is this id, name it in the overrides: "pathIds": { "${path.join('.')}": "…" }`
    : '';
  const reason = `its rows do not contain ${missing.join(', ')}, so "id" of ${typeName} may be null there, and the type is no Node${remedy}`;
  report.add('ROW_IDS_UNKNOWN', index.scope, reason);
  return false;
}

/** Returns the placeholders of the parents that an object and its association share. The API may omit them from `path_params`. */
export function sharedPlaceholders(identity: Identity, target: Identity): readonly string[] {
  const parents = target.path.slice(0, -1);
  if (!parents.every((name, depth) => identity.path[depth] === name)) return [];
  const shared = new Set(target.segments.slice(0, -1).flat());
  return identity.placeholders.filter((placeholder) => shared.has(placeholder));
}
