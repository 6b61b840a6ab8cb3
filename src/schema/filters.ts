import type { Action } from '../upstream/description.ts';
import { isObject, type JsonObject } from '../upstream/reader.ts';
import type { Assembly } from './assembly.ts';
import type { InputField } from './inputs.ts';
import { filterParameters } from './lists.ts';
import type { ResourceModel } from './model.ts';

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

  /** Null where the index has no parameters but those that page it. */
  of(resource: ResourceModel, action: Action): Filter | null {
    let filter = this.#filters.get(action);
    if (filter === undefined) {
      filter = this.#create(resource, action);
      this.#filters.set(action, filter);
    }
    return filter;
  }

  #create(resource: ResourceModel, action: Action): Filter | null {
    const { builder, inputs, names } = this.#assembly;
    const parameters = filterParameters(action);
    if (parameters.length === 0) return null;
    const fields = inputs.fields(parameters, action.scope);
    const description = `What to list of \`${action.scope}\`. Only what is given is sent.`;
    const ref = inputs.inputType(builder, resource, names.claim(resource, 'Filter'), description, fields);
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
