// Maps described input parameters to arguments, input fields and the filters of lists.
import { InvalidInputError } from '../../loaders/errors.ts';
import type { Action, Parameter } from '../../upstream/description/description.ts';
import { ActionFailedError } from '../../upstream/errors.ts';
import { findUnsendable } from '../../upstream/http/request-path.ts';
import type { JsonObject } from '../../upstream/json.ts';
import { compileValidation, type Validation } from '../../upstream/validation/validators.ts';
import type { Assembly } from '../assemble.ts';
import { codeOf, describeParameter } from '../descriptions/descriptions.ts';
import { memo } from '../memo.ts';
import { filterParameters } from '../model/list-paging.ts';
import { type ResourceModel, targetOf } from '../model/model.ts';
import { sortByName } from '../model/parameters.ts';
import { changesValue, placeAction } from '../model/placement.ts';
import { idFieldNameOf } from '../model/references.ts';
import { fieldNameOf } from '../names/naming.ts';
import { nameType } from '../names/type-names.ts';
import { fieldsOf, UniqueNames } from '../names/unique-names.ts';
import { fromFailures, type InputPaths } from '../resolve/field-errors.ts';
import { SCALARS } from './outputs.ts';

/** One argument or input field, and its parameter. */
interface InputField {
  readonly name: string;
  readonly parameter: Parameter;
  /** The resource to which an association refers. Null for a value. */
  readonly target: ResourceModel | null;
}

/** The inputs of an action: arguments, or the fields of an input object. */
export class Inputs {
  readonly fields: readonly InputField[];
  /** Whether one of them is required. */
  readonly required: boolean;
  /** Their paths by parameter. */
  readonly paths: InputPaths;
  /** Returns the described rules that an upstream input breaks. Rules that JavaScript cannot check are left to the API. */
  readonly failuresOf: Validation;
  readonly #assembly: Assembly;
  readonly #resource: ResourceModel;
  readonly #action: Action;

  /**
   * @param parameters The parameters of the action that clients set.
   * @param names Contains the other names in the same place, e.g. `first` and `after`.
   * @param prefix Path of the object that contains the inputs, e.g. `['filter']`. Default: they are arguments.
   */
  constructor(
    assembly: Assembly,
    resource: ResourceModel,
    action: Action,
    parameters: readonly Parameter[],
    names: UniqueNames,
    prefix: readonly string[] = [],
  ) {
    this.#assembly = assembly;
    this.#resource = resource;
    this.#action = action;
    const placeOf = (parameter: string): string => `${action.scope} input.${parameter}`;
    this.fields = sortByName(parameters).map((parameter) => ({
      name: names.claim(nameInput(assembly, resource, parameter), placeOf(parameter.name)),
      parameter,
      target: targetOf(assembly.model, parameter),
    }));
    this.required = parameters.some(({ required }) => required);
    this.paths = new Map(this.fields.map(({ name, parameter }) => [parameter.name, [...prefix, name]]));
    this.failuresOf = compileValidation(parameters, (parameter, reason) =>
      assembly.report.add('CHECK_LEFT_TO_SERVER', placeOf(parameter), reason),
    );
  }

  /** Returns the inputs as Pothos arguments. */
  declareArguments() {
    return this.#assembly.builder.args((t) =>
      Object.fromEntries(this.fields.map((field) => [field.name, t.field(this.#optionsOf(field))])),
    );
  }

  /** Declares an input object type with the inputs as fields. */
  declareType(name: string, description: string) {
    return this.#assembly.builder.inputType(name, {
      description,
      fields: (t) =>
        Object.fromEntries(this.fields.map((field) => [field.name, t.field(this.#optionsOf(field))])),
    });
  }

  /**
   * Converts argument values to upstream input. Omitted values stay omitted, null stays null, and a global ID becomes the ID of the API.
   * @throws InvalidInputError when an ID is not one of the referred resource, or a value cannot be sent as it is.
   */
  toUpstream(values: JsonObject): JsonObject {
    const { method, scope } = this.#action;
    const entries: (readonly [string, unknown])[] = [];
    for (const { name, parameter, target } of this.fields) {
      const value = values[name];
      if (value === undefined) continue;
      const found = findUnsendable(value, method === 'GET');
      if (found !== null) throw new InvalidInputError(`The input "${name}" has ${found}.`, { action: scope });
      const isId = target !== null && value !== null;
      entries.push([parameter.name, isId ? this.#assembly.ids.readLast(target, String(value)) : value]);
    }
    return Object.fromEntries(entries);
  }

  /**
   * Converts the argument values of a read to upstream input and checks it.
   * @param fixed Parameters that the field itself sets.
   * @throws InvalidInputError when an ID is not one of the referred resource, and one error for all broken rules.
   */
  read(values: JsonObject, fixed: JsonObject = {}): JsonObject {
    const input = { ...this.toUpstream(values), ...fixed };
    const failures = this.failuresOf(input);
    if (failures.length === 0) return input;
    const userErrors = fromFailures(failures, this.paths);
    const message = userErrors.map((error) => `${error.parameter}: ${error.message}`).join('; ');
    throw new InvalidInputError(`Invalid input. ${message}.`, { action: this.#action.scope }, userErrors);
  }

  #optionsOf({ parameter }: InputField) {
    const isChange = changesValue(placeAction(this.#resource, this.#action), parameter);
    const direction = this.#action.method === 'GET' ? 'filter' : isChange ? 'change' : 'input';
    return {
      type: this.#typeOf(parameter),
      required: parameter.required,
      ...describeParameter(parameter, direction),
    };
  }

  #typeOf(parameter: Parameter) {
    if (parameter.type === 'Resource') return 'ID' as const;
    const isBig = parameter.type === 'Integer' && this.#resource.bigInts.has(parameter.name);
    if (isBig) return 'BigInt' as const;
    return this.#assembly.enums.enumForInput(this.#resource, parameter)?.ref ?? SCALARS[parameter.type];
  }
}

/** Returns the name of an input: that of the output that it writes or filters, where this is called after its object. */
function nameInput({ references }: Assembly, resource: ResourceModel, { name, type }: Parameter): string {
  const output = resource.parameters.get(name);
  const isSame = output !== undefined && type === 'Integer';
  const id = isSame ? idFieldNameOf(output, resource.parameters.values(), references.on(resource)) : null;
  return id ?? fieldNameOf(name);
}

/**
 * Adds to the error of a call that a field makes the paths of the field's inputs, and whether the client has given any of them.
 * @param input The input parameters of the call. The field itself may have set some of them.
 */
export const withInputPaths = <T>(result: Promise<T>, paths: InputPaths, input: JsonObject): Promise<T> =>
  result.catch((error: unknown) => {
    if (!(error instanceof ActionFailedError)) throw error;
    const hasInput = Object.keys(input).some((parameter) => paths.has(parameter));
    throw error.withInputPaths(paths, hasInput);
  });

/** The filter of one `index` action. */
export interface Filter {
  /** Null if the list has no parameters except those for paging. */
  readonly ref: ReturnType<Inputs['declareType']> | null;
  readonly inputs: Inputs;
}

/** Creates the function that returns the filter of a list. Fields that list with the same action share its type. */
export function createFilters(assembly: Assembly) {
  const declare = (resource: ResourceModel, action: Action, fixed: Parameter | null): Filter => {
    const parameters = filterParameters(action).filter((parameter) => parameter !== fixed);
    const type =
      parameters.length === 0
        ? ''
        : fixed === null
          ? nameType(assembly, resource, '', 'filter')
          : nameType(assembly, resource, `filter_by_${fixed.name}`);
    const names = new UniqueNames(assembly, fieldsOf(type));
    const inputs = new Inputs(assembly, resource, action, parameters, names, ['filter']);
    const description = `Filters for ${codeOf(action.scope)}. Omitted fields are not sent to the API.`;
    return { ref: type === '' ? null : inputs.declareType(type, description), inputs };
  };
  const sharedOf = memo((action: Action, resource: ResourceModel) => declare(resource, action, null));
  /** @param fixed The parameter that the field sets itself. If it is required, the filter has no field for it. Default: none. */
  return (resource: ResourceModel, action: Action, fixed: Parameter | null = null): Filter =>
    fixed?.required === true ? declare(resource, action, fixed) : sharedOf(action, resource);
}
