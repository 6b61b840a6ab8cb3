// Chooses the GraphQL type of an output value and reads the value.

import type { Operation } from '../../loaders/operation.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Enums, ServedEnum } from './enums.ts';
import { readValue, SCALARS } from './outputs.ts';

/** The GraphQL type and the reader of an output parameter that is not an association. */
export interface OutputValue {
  readonly type: ServedEnum['ref'] | (typeof SCALARS)[keyof typeof SCALARS];
  /**
   * Reads a value. A value that the enum does not contain becomes null with a warning, because an error would repeat for each row.
   * @param coordinate Schema coordinate of the field, e.g. `Book.state`.
   * @throws UpstreamProtocolError when the value is of another type.
   */
  read(value: unknown, operation: Operation, coordinate: string): unknown;
}

/** Returns the enum of the input parameter with the same name if there is one, otherwise the scalar of the output parameter. */
export function outputValueOf(enums: Enums, resource: ResourceModel, parameter: Parameter): OutputValue {
  const served = enums.enumForOutput(resource, parameter);
  if (served === null) {
    const type = parameter.type === 'Resource' ? 'JSON' : SCALARS[parameter.type];
    return { type, read: (value) => readValue(parameter, value) };
  }
  return {
    type: served.ref,
    read(value, operation, coordinate) {
      const text = readValue(parameter, value);
      if (typeof text !== 'string' || served.values.has(text)) return text;
      operation.warn('ENUM_VALUE_UNKNOWN', coordinate);
      return null;
    },
  };
}
