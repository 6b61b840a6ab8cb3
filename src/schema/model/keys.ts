// Derives from a description what identifies the objects of a resource: placeholders, their types, and output parameters.
import type { Identity, PlaceholderType } from '../../loaders/identity.ts';
import type { Action, Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import type { Overrides } from './overrides.ts';
import type { Report } from './report.ts';

/** What identifies the objects of a resource. */
export type Keys = Omit<Identity, 'valueTypes'>;

/** The parts of a description from which keys are derived. */
interface Described {
  readonly path: readonly string[];
  /** Null for a resource at the top. */
  readonly parent: { readonly identity: Identity } | null;
  readonly reads: readonly Action[];
  /** The output parameters of `show` and `index`. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The associations that refer to the resource. */
  readonly references: readonly ResourceParameter[];
}

/**
 * Derives which placeholders identify the objects of a resource. Placeholders of parents belong to the parents; the other
 * placeholders of `show` belong to the resource. Without `show`, the id in rows or in associations identifies an object.
 */
export function deriveKeys(described: Described, overrides: Overrides, report: Report): Keys {
  const { path, parent, reads, parameters, references } = described;
  const show = reads.find(({ name }) => name === 'show') ?? null;
  const mainRead = show ?? reads.find(({ name }) => name === 'index');
  const parents = mainRead === undefined ? (parent?.identity.segments ?? []) : parentSegments(path, mainRead);
  const known = new Set(parents.flat());
  const idName = `${path.at(-1)}_id`;
  const ownPlaceholders = show?.path.placeholders.filter((name) => !known.has(name)) ?? [idName];
  const pathId = pathIdOf(described, ownPlaceholders, overrides, report);
  const hasId = show !== null || pathId !== null || parameters.has('id') || references.length > 0;
  const segments = [...parents, hasId ? ownPlaceholders : []];
  const last = segments.at(-1)?.at(-1) ?? null;
  return {
    path,
    segments,
    placeholders: segments.flat(),
    idPlaceholder: last === idName || last === 'id' || pathId !== null ? last : null,
    idParameter: pathId ?? idParameterOf(parameters, references),
    show,
  };
}

/** Returns the placeholders of each ancestor, which have the name `<resource>_id`. */
function parentSegments(path: readonly string[], action: Action): readonly (readonly string[])[] {
  return path
    .slice(0, -1)
    .map((name) => action.path.placeholders.filter((placeholder) => placeholder === `${name}_id`));
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
 * @param ancestors Identities of the ancestors, the outermost first.
 * @param references Associations that refer to the resource.
 */
export function derivePlaceholderTypes(
  { segments, idPlaceholder, idParameter }: Pick<Identity, 'segments' | 'idPlaceholder' | 'idParameter'>,
  ancestors: readonly Identity[],
  actions: readonly Action[],
  references: readonly ResourceParameter[],
): ReadonlyMap<string, PlaceholderType> {
  const outputTypes = new Map<string, PlaceholderType>();
  for (const { name, type } of actions.flatMap(({ output }) => output.parameters))
    outputTypes.set(name, type === 'Integer' && outputTypes.get(name) !== 'text' ? 'integer' : 'text');
  const ownIdType = (): PlaceholderType | undefined => {
    const keys = new Set([idParameter, ...references.map(({ valueId }) => valueId)]);
    const types = [...keys].map((name) => outputTypes.get(name));
    return types.every((type) => type === types[0]) ? types[0] : undefined;
  };
  const types = new Map<string, PlaceholderType>();
  for (const [depth, placeholders] of segments.entries()) {
    const above = ancestors[depth];
    const aboveId = above?.idPlaceholder ?? null;
    for (const placeholder of placeholders) {
      const inherited = aboveId === null ? undefined : above?.valueTypes.get(aboveId);
      const own = placeholder === idPlaceholder ? ownIdType() : undefined;
      const type = own ?? inherited ?? outputTypes.get(placeholder);
      if (type !== undefined) types.set(placeholder, type);
    }
  }
  return types;
}

/** Whether the rows of a resource's list contain their ids, or the path of the list does. Adds a finding where one is missing. */
export function identifiesRows(typeName: string, index: Action | null, keys: Keys, report: Report): boolean {
  if (index === null) return true;
  const { path, placeholders, idPlaceholder, idParameter } = keys;
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
