// Finds which parts of the description of a schema a caller has.
import type { Action, Description, Parameter } from '../../upstream/description/description.ts';
import { allActions, listActions } from '../../upstream/description/select-actions.ts';
import { isActionState, pathKey } from '../model/model.ts';

/** The parts that a caller has of the description from which a schema was assembled. */
export class VisibleParts {
  /** Whether the caller has all of them. */
  readonly isWhole: boolean;
  readonly #scopes = new Set<string>();
  readonly #parameters = new Set<Parameter>();
  /** The dotted paths of resources with the names of their inputs and outputs. */
  readonly #places = new Set<string>();
  /** The outputs of objects by resource. */
  readonly #values = new Map<string, Set<string>>();
  /** The resources that have an action. */
  readonly #described = new Set<string>();
  /** The resources to which associations refer. */
  readonly #referred = new Set<string>();

  /**
   * @param described The description of the schema.
   * @param visible The caller's own, whose actions and parameters the former has too.
   */
  constructor(described: Description, visible: Description) {
    const own = new Map(listActions(visible).map((action) => [action.scope, action]));
    const actions = listActions(described);
    for (const action of actions) {
      const visibleAction = own.get(action.scope);
      if (visibleAction !== undefined) this.#addAction(action, visibleAction);
    }
    this.isWhole = actions.every(
      ({ scope, input, output }) =>
        this.#scopes.has(scope) &&
        [...input.parameters, ...output.parameters].every((parameter) => this.#parameters.has(parameter)),
    );
  }

  #addAction({ scope, input, output }: Action, visible: Action): void {
    this.#scopes.add(scope);
    this.#described.add(pathKey(visible.resource));
    for (const [all, some] of [
      [input, visible.input],
      [output, visible.output],
    ] as const) {
      const names = new Set(some.parameters.map(({ name }) => name));
      for (const name of names) this.#places.add(`${pathKey(visible.resource)}.${name}`);
      for (const parameter of all.parameters) if (names.has(parameter.name)) this.#parameters.add(parameter);
      this.#addReferences(some.parameters);
    }
    this.#addValues(visible);
  }

  #addReferences(parameters: readonly Parameter[]): void {
    for (const parameter of parameters)
      if (parameter.type === 'Resource') this.#referred.add(pathKey(parameter.resource));
  }

  /** Adds the outputs of an action that answers objects of its resource. */
  #addValues({ resource, output: { layout, parameters } }: Action): void {
    if (!layout.startsWith('object') && !isActionState(resource)) return;
    const key = pathKey(resource);
    const values = this.#values.get(key) ?? new Set();
    for (const { name } of parameters) values.add(name);
    if (parameters.length > 0) this.#values.set(key, values);
  }

  /** Adds the resource of the user of sessions, with the outputs that a description has. */
  addUser(path: readonly string[], { resources }: Description): void {
    this.#referred.add(pathKey(path));
    for (const action of allActions(resources))
      if (pathKey(action.resource) === pathKey(path)) {
        this.#described.add(pathKey(path));
        this.#addValues(action);
        this.#addReferences(action.output.parameters);
      }
  }

  hasAction(scope: string): boolean {
    return this.#scopes.has(scope);
  }

  /** Whether the API describes an action of a resource. */
  isDescribed(path: readonly string[]): boolean {
    return this.#described.has(pathKey(path));
  }

  hasParameter(parameter: Parameter): boolean {
    return this.#parameters.has(parameter);
  }

  /** Whether an action of a resource has a parameter. @param place The dotted path of the resource with the name. */
  hasPlace(place: string): boolean {
    return this.#places.has(place);
  }

  /** Whether an association, or the session, refers to objects of a resource. */
  isReferred(path: readonly string[]): boolean {
    return this.#referred.has(pathKey(path));
  }

  /** Whether the caller knows that there are objects of a resource: an action answers them, or an association refers to them. */
  hasObjects(path: readonly string[]): boolean {
    return this.isReferred(path) || this.#values.has(pathKey(path));
  }

  /** Whether an action answers objects of a resource with an output. */
  hasValue(path: readonly string[], name: string): boolean {
    return this.#values.get(pathKey(path))?.has(name) === true;
  }
}
