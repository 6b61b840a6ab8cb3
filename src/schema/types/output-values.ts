import type { Operation } from '../../loaders/operation.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Enums, ServedEnum } from './enums.ts';
import { readValue, SCALARS } from './outputs.ts';

/** How a plain output parameter is served. */
export interface OutputValue {
  readonly type: ServedEnum['ref'] | (typeof SCALARS)[keyof typeof SCALARS];
  /**
   * Reads a value of it. One that its enum has no name for is null with a warning: an error would repeat for each row.
   * @param coordinate Of the field, e.g. `Book.state`.
   * @throws UpstreamProtocolError when the value is of another type.
   */
  read(value: unknown, operation: Operation, coordinate: string): unknown;
}

/** Decides how a plain output parameter of a resource is served: as the enum of its input, else as its scalar. */
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
