// Creates the filter input type of each list.

import type { Action, Parameter } from '../../upstream/description/description.ts';
import type { Assembly } from '../assembly.ts';
import { filterParameters } from '../model/list-paging.ts';
import type { ResourceModel } from '../model/model.ts';
import { codeOf } from './descriptions.ts';
import { Inputs } from './inputs.ts';

/** The filter of one `index` action. */
export interface Filter {
  /** Null if the list has no parameters except those for paging. */
  readonly ref: ReturnType<Inputs['declareType']> | null;
  readonly inputs: Inputs;
}

/** The filters of one schema. All fields that list with the same action share one filter type. */
export class Filters {
  readonly #assembly: ConstructorParameters<typeof Inputs>[0] & Pick<Assembly, 'names'>;
  readonly #filters = new Map<Action, Filter>();

  constructor(assembly: ConstructorParameters<typeof Inputs>[0] & Pick<Assembly, 'names'>) {
    this.#assembly = assembly;
  }

  /** Returns the filter of an edge that sets the parameter `fixed` itself. If `fixed` is required, the filter has no field for it. */
  without(resource: ResourceModel, action: Action, fixed: Parameter): Filter {
    if (!fixed.required) return this.filterFor(resource, action);
    const others = filterParameters(action).filter((parameter) => parameter !== fixed);
    return this.#declare(resource, action, others, 'filter_by', fixed.name);
  }

  /** Returns the filter of a list. */
  filterFor(resource: ResourceModel, action: Action): Filter {
    let filter = this.#filters.get(action);
    if (filter === undefined) {
      filter = this.#declare(resource, action, filterParameters(action), 'filter');
      this.#filters.set(action, filter);
    }
    return filter;
  }

  #declare(
    resource: ResourceModel,
    action: Action,
    parameters: readonly Parameter[],
    kind: 'filter' | 'filter_by',
    source?: string,
  ): Filter {
    const inputs = new Inputs(this.#assembly, resource, action, parameters, { prefix: ['filter'] });
    if (parameters.length === 0) return { ref: null, inputs };
    const description = `Filters for ${codeOf(action.scope)}. Omitted fields are not sent to the API.`;
    const ref = inputs.declareType(this.#assembly.names.nameFor(resource, kind, source), description);
    return { ref, inputs };
  }
}
