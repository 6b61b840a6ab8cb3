import type { Action, Parameter } from '../../upstream/description/description.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
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

/** One argument or input field, and the parameter it stands for. */
export interface InputField {
  readonly name: string;
  readonly parameter: Parameter;
  /** The referred resource of an association; null for plain values. */
  readonly target: ResourceModel | null;
}

type ScalarName = (typeof SCALARS)[keyof typeof SCALARS] | 'ID';

/** Turns described input parameters into arguments and input fields, and given values back into upstream's. */
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

  /** Names the inputs of one place. @param names Shared with what else is named there, e.g. `first` and `after`. */
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

  /** The GraphQL type, need and description of an input. */
  options(resource: ResourceModel, { parameter }: InputField) {
    return {
      type: this.#typeOf(resource, parameter),
      required: parameter.required,
      ...describeParameter(parameter, 'input'),
    };
  }

  /** An input object type over parameters, e.g. a list's filter. */
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
   * Upstream's input for what a caller gave: omitted stays omitted, null stays null, ids lose their type.
   * @throws InvalidInputError for ids that are no ids of the referred resource.
   */
  toUpstream(fields: readonly InputField[], given: JsonObject): JsonObject {
    const entries = fields.flatMap(({ name, parameter, target }) => {
      const value = given[name];
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
   * Makes the check of a read's input against the described rules, all of them at once.
   * @param prefix Where the inputs stand, e.g. `['filter']`.
   */
  check(
    fields: readonly InputField[],
    action: Action,
    prefix: readonly string[],
  ): (input: JsonObject) => JsonObject {
    const parameters = fields.map(({ parameter }) => parameter);
    const validate = this.validation(parameters, action);
    return (input) => {
      const failures = validate(input);
      if (failures.length === 0) return input;
      const userErrors = fromFailures(failures, fields, prefix);
      const message = userErrors.map((failure) => `${failure.parameter}: ${failure.message}`).join('; ');
      throw new InvalidInputError(`Invalid input. ${message}.`, { action: action.scope }, userErrors);
    };
  }

  /** The described rules of an action's input; what JavaScript cannot check is reported and left to the server. */
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
