// Creates the filter input type of each list.

import type { Action, Parameter } from '../../upstream/description/description.ts';
import { isObject, type JsonObject } from '../../upstream/reader.ts';
import type { Assembly } from '../assembly.ts';
import { filterParameters } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import type { InputField } from './inputs.ts';

/** The filter of one `index` action. */
export interface Filter {
  readonly ref: ReturnType<Assembly['inputs']['inputType']>;
  readonly fields: readonly InputField[];
  readonly required: boolean;
  /**
   * Converts a filter argument to upstream parameters.
   * @param fixed Parameters that the field itself sets.
   * @throws InvalidInputError when a value breaks a described rule.
   */
  read(filter: unknown, fixed?: JsonObject): JsonObject;
}

/** The filters of one schema. All fields that list with the same action share one filter type. */
export class Filters {
  readonly #assembly: Assembly;
  readonly #filters = new Map<Action, Filter | null>();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  /** Returns the filter of an edge that sets the parameter `fixed` itself. If `fixed` is required, the filter has no field for it. */
  without(
    resource: ResourceModel,
    action: Action,
    fixed: Parameter,
  ): (Partial<Filter> & Pick<Filter, 'fields' | 'read'>) | null {
    const shared = this.filterFor(resource, action);
    if (shared === null || !fixed.required) return shared;
    const others = filterParameters(action).filter((parameter) => parameter !== fixed);
    const { names } = this.#assembly;
    if (others.length > 0)
      return this.#declare(resource, action, others, names.nameFor(resource, 'filter_by', fixed.name));
    return { fields: [], read: (_filter, fixedValues = {}) => fixedValues };
  }

  /** Returns the filter of a list, or null if the list has no parameters except those for paging. */
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
    return parameters.length === 0
      ? null
      : this.#declare(resource, action, parameters, this.#assembly.names.nameFor(resource, 'filter'));
  }

  #declare(resource: ResourceModel, action: Action, parameters: readonly Parameter[], name: string): Filter {
    const { builder, inputs } = this.#assembly;
    const fields = inputs.fields(parameters, action.scope);
    const description = `Filters for \`${action.scope}\`. Omitted fields are not sent to the API.`;
    const ref = inputs.inputType(builder, resource, name, description, fields);
    const required = parameters.some((parameter) => parameter.required);
    const check = inputs.check(fields, action, ['filter']);
    return {
      ref,
      fields,
      required,
      read: (filter, fixed = {}) =>
        check({ ...inputs.toUpstream(fields, isObject(filter) ? filter : {}), ...fixed }),
    };
  }
}
