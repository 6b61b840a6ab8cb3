import type { Action, Parameter } from '../../upstream/description/description.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { filterParameters } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import type { InputField } from './inputs.ts';

/** The filter of one index. */
export interface Filter {
  readonly ref: ReturnType<Assembly['inputs']['inputType']>;
  readonly fields: readonly InputField[];
  readonly required: boolean;
  /** Upstream's parameters for a given filter, and those that a field sets itself. @throws InvalidInputError for what breaks a described rule. */
  read(given: unknown, set?: JsonObject): JsonObject;
}

/** The filters of one schema; every field that lists the same index shares its filter. */
export class Filters {
  readonly #assembly: Assembly;
  readonly #filters = new Map<Action, Filter | null>();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  /** The filter of an edge that sets a parameter itself. One that must be given is not among its fields then. */
  without(
    resource: ResourceModel,
    action: Action,
    set: Parameter,
  ): (Partial<Filter> & Pick<Filter, 'fields' | 'read'>) | null {
    const shared = this.filterFor(resource, action);
    if (shared === null || !set.required) return shared;
    const others = filterParameters(action).filter((parameter) => parameter !== set);
    if (others.length > 0) return this.#declare(resource, action, others, `filter_by_${set.name}`);
    return { fields: [], read: (_given, own = {}) => own };
  }

  /** Null where the index has no parameters but those that page it. */
  filterFor(resource: ResourceModel, action: Action): Filter | null {
    let filter = this.#filters.get(action);
    if (filter === undefined) {
      filter = this.#create(resource, action);
      this.#filters.set(action, filter);
    }
    return filter;
  }

  #create(resource: ResourceModel, action: Action): Filter | null {
    const parameters = filterParameters(action);
    return parameters.length === 0 ? null : this.#declare(resource, action, parameters, 'filter');
  }

  #declare(resource: ResourceModel, action: Action, parameters: readonly Parameter[], name: string): Filter {
    const { builder, inputs, names } = this.#assembly;
    const fields = inputs.fields(parameters, action.scope);
    const description = `What to list of \`${action.scope}\`. Only what is given is sent.`;
    const ref = inputs.inputType(builder, resource, names.claim(resource, name), description, fields);
    const required = parameters.some((parameter) => parameter.required);
    const check = inputs.check(fields, action, ['filter']);
    return {
      ref,
      fields,
      required,
      read: (given, set = {}) =>
        check({ ...inputs.toUpstream(fields, isObject(given) ? given : {}), ...set }),
    };
  }
}
