// Finds which parts of the description of a schema a caller has.
import type { Action, Description, Parameter } from '../../upstream/description/description.ts';
import { allActions, listActions } from '../../upstream/description/select-actions.ts';
import { isActionState, pathKey } from '../model/model.ts';

/** The parts that a caller has of the description from which a schema was assembled. Resources have their dotted paths. */
export interface VisibleParts {
  /** Whether the caller has all of them. */
  readonly isWhole: boolean;
  /** The scopes of actions. */
  readonly scopes: ReadonlySet<string>;
  readonly parameters: ReadonlySet<Parameter>;
  /** Resources with the names of their inputs and outputs. */
  readonly places: ReadonlySet<string>;
  /** Resources that have an action. */
  readonly described: ReadonlySet<string>;
  /** Resources to which associations, or the session, refer. */
  readonly referred: ReadonlySet<string>;
  /** The outputs of objects by resource. Only resources whose objects an action answers are keys. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Finds the parts of a schema's description that a caller has.
 * @param whole The description of the schema.
 * @param visible The caller's own description, whose actions and parameters the former has too.
 * @param user The resource of the user of sessions, and the description of which the user has the outputs. Default: none.
 */
export function findVisibleParts(
  whole: Description,
  visible: Description,
  user: { readonly path: readonly string[]; readonly description: Description } | null = null,
): VisibleParts {
  const scopes = new Set<string>();
  const parameters = new Set<Parameter>();
  const places = new Set<string>();
  const described = new Set<string>();
  const referred = new Set<string>();
  const values = new Map<string, Set<string>>();

  const addReferences = (some: readonly Parameter[]): void => {
    for (const one of some) if (one.type === 'Resource') referred.add(pathKey(one.resource));
  };
  const addOutputs = ({ resource, output }: Action): void => {
    const key = pathKey(resource);
    described.add(key);
    addReferences(output.parameters);
    const isOfObjects = output.layout.startsWith('object') || isActionState(resource);
    if (!isOfObjects || output.parameters.length === 0) return;
    values.set(key, new Set([...(values.get(key) ?? []), ...output.parameters.map(({ name }) => name)]));
  };

  const actions = listActions(whole);
  const own = new Map(listActions(visible).map((action) => [action.scope, action]));
  for (const { scope, input, output } of actions) {
    const action = own.get(scope);
    if (action === undefined) continue;
    scopes.add(scope);
    for (const [all, some] of [
      [input, action.input],
      [output, action.output],
    ] as const) {
      const names = new Set(some.parameters.map(({ name }) => name));
      for (const name of names) places.add(`${pathKey(action.resource)}.${name}`);
      for (const parameter of all.parameters) if (names.has(parameter.name)) parameters.add(parameter);
    }
    addReferences(action.input.parameters);
    addOutputs(action);
  }
  if (user !== null) {
    const key = pathKey(user.path);
    referred.add(key);
    for (const action of allActions(user.description.resources))
      if (pathKey(action.resource) === key) addOutputs(action);
  }
  const isWhole = actions.every(
    ({ scope, input, output }) =>
      scopes.has(scope) && [...input.parameters, ...output.parameters].every((one) => parameters.has(one)),
  );
  return { isWhole, scopes, parameters, places, described, referred, values };
}
