// Maps described input parameters to arguments and input fields.

import type { Action, Parameter } from '../../upstream/description/description.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { BoundedMatcher } from '../../upstream/validation/bounded-matcher.ts';
import { compileValidation, type Validation } from '../../upstream/validation/validators.ts';
import type { Builder } from '../builder.ts';
import { type Model, pathKey, type ResourceModel } from '../model/model.ts';
import type { Report } from '../model/report.ts';
import { FieldNames } from '../names/field-names.ts';
import { fieldNameOf } from '../names/naming.ts';
import { fromFailures } from '../resolve/user-errors.ts';
import { describeParameter } from './descriptions.ts';
import type { Enums, ServedEnum } from './enums.ts';
import type { IdReader } from './ids.ts';
import { SCALARS } from './outputs.ts';

/** One argument or input field, and its parameter. */
export interface InputField {
  readonly name: string;
  readonly parameter: Parameter;
  /** The resource to which an association refers. Null for a value. */
  readonly target: ResourceModel | null;
}

type ScalarName = (typeof SCALARS)[keyof typeof SCALARS] | 'ID';

/** Maps described input parameters to arguments and input fields, and argument values to upstream input. */
export class Inputs {
  readonly #model: Model;
  readonly #enums: Enums;
  readonly #ids: IdReader;
  readonly #report: Report;

  constructor(model: Model, enums: Enums, ids: IdReader, report: Report) {
    this.#model = model;
    this.#enums = enums;
    this.#ids = ids;
    this.#report = report;
  }

  /**
   * Names the fields for some parameters.
   * @param names Contains the other names in the same place, e.g. `first` and `after`.
   */
  fields(
    parameters: readonly Parameter[],
    place: string,
    names = new FieldNames(place, this.#report),
  ): readonly InputField[] {
    return parameters.map((parameter) => ({
      name: names.claim(fieldNameOf(parameter.name), `${place} input.${parameter.name}`),
      parameter,
      target: parameter.type === 'Resource' ? (this.#model.get(pathKey(parameter.resource)) ?? null) : null,
    }));
  }

  /** Returns the Pothos options of an input field: type, `required` and description. */
  options(resource: ResourceModel, { parameter }: InputField) {
    return {
      type: this.#typeOf(resource, parameter),
      required: parameter.required,
      ...describeParameter(parameter, 'input'),
    };
  }

  /** Declares an input object type, e.g. the filter of a list. */
  inputType(
    builder: Builder,
    resource: ResourceModel,
    name: string,
    description: string,
    fields: readonly InputField[],
  ) {
    return builder.inputType(name, {
      description,
      fields: (t) =>
        Object.fromEntries(fields.map((field) => [field.name, t.field(this.options(resource, field))])),
    });
  }

  /**
   * Converts argument values to upstream input. Omitted values stay omitted, null stays null, and a global ID becomes the ID of the API.
   * @throws InvalidInputError when an ID is not one of the referred resource.
   */
  toUpstream(fields: readonly InputField[], values: JsonObject): JsonObject {
    const entries = fields.flatMap(({ name, parameter, target }) => {
      const value = values[name];
      if (value === undefined) return [];
      return [
        [
          parameter.name,
          target !== null && value !== null ? this.#ids.readLast(target, String(value)) : value,
        ] as const,
      ];
    });
    return Object.fromEntries(entries);
  }

  /**
   * Creates a function that checks the upstream input of a read against the described rules and returns it unchanged.
   * The function throws one InvalidInputError for all broken rules.
   * @param prefix Path of the inputs, e.g. `['filter']`.
   */
  check(
    fields: readonly InputField[],
    action: Action,
    prefix: readonly string[],
  ): (input: JsonObject, matcher: BoundedMatcher) => JsonObject {
    const parameters = fields.map(({ parameter }) => parameter);
    const validate = this.validation(parameters, action);
    return (input, matcher) => {
      const failures = validate(input, matcher);
      if (failures.length === 0) return input;
      const userErrors = fromFailures(failures, fields, prefix);
      const message = userErrors.map((failure) => `${failure.parameter}: ${failure.message}`).join('; ');
      throw new InvalidInputError(`Invalid input. ${message}.`, { action: action.scope }, userErrors);
    };
  }

  /** Compiles the described rules of an action's input. Rules that only the API can check are reported and left to the API. */
  validation(parameters: readonly Parameter[], { scope }: Action): Validation {
    return compileValidation(parameters, (parameter, reason) =>
      this.#report.add('CHECK_LEFT_TO_SERVER', `${scope} input.${parameter}`, reason),
    );
  }

  #typeOf(resource: ResourceModel, parameter: Parameter): ScalarName | ServedEnum['ref'] {
    if (parameter.type === 'Resource') return 'ID';
    return this.#enums.enumForInput(resource, parameter)?.ref ?? SCALARS[parameter.type];
  }
}
