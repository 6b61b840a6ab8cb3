// Derives from a description which placeholders and output parameters identify the objects of a resource.

import type { Identity } from '../../loaders/identity.ts';
import type { Action, Parameter, ResourceParameter } from '../../upstream/description/description.ts';
import type { Overrides } from './overrides.ts';
import type { Report } from './report.ts';

/** What identifies the objects of a resource. */
export type Keys = Omit<Identity, 'valueTypes' | 'list'>;

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
