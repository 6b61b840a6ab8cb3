import { index, show } from '../../actions/actions.ts';
import {
  conflict,
  create,
  given,
  insertRow,
  invalid,
  isTaken,
  update,
  updateRow,
} from '../../domain/write-actions.ts';
import type { Call, Failure, Fields, Parameters, ResourceDefinition, Row } from '../../engine/definition.ts';
import { integer, string } from '../../engine/parameters.ts';

const settings: Parameters = {
  name: string({ label: 'Resource name for internal purposes' }),
  label: string(),
  min: integer({ label: 'Minimum value', description: 'An allocating object must use more than this' }),
  max: integer({ label: 'Maximum value', description: 'An allocating object must not use more than this' }),
  stepsize: integer({ label: 'Step size', description: 'Step in which the allocated value may change' }),
};

const nothing: Fields = { name: null, label: null, min: null, max: null, stepsize: null };

/** Resources that objects are made of. A new one is answered without its fields, by its id in the metadata alone. */
export const clusterResource: ResourceDefinition = {
  description: 'Manage environment resources',
  table: 'cluster_resources',
  output: { id: integer(), ...settings },
  actions: {
    index: index({ description: 'List environment resources' }),
    show: show({ description: 'Show environment resource' }),
    create: create({
      description: 'Create an environment resource',
      role: 'admin',
      input: settings,
      output: {},
      change(call) {
        const fields = { ...nothing, ...given(call) };
        return nameTaken(call) ?? outOfBounds(fields) ?? insertRow(call, fields);
      },
    }),
    update: update({
      description: 'Update environment resource',
      role: 'admin',
      input: settings,
      change: (call, row) =>
        nameTaken(call, row) ?? outOfBounds({ ...row, ...given(call) }) ?? updateRow(call, row),
    }),
  },
};

function nameTaken(call: Call, itself?: Row): Failure | undefined {
  const { name } = given(call, ['name']);
  if (name === undefined || !isTaken(call, { name }, itself)) return undefined;
  return conflict(`cluster resource '${name}' already exists`);
}

/** Bounds between which nothing lies, or a step that leads nowhere. */
function outOfBounds({ min, max, stepsize }: Fields): Failure | undefined {
  const errors: Record<string, string> = {};
  if (typeof min === 'number' && typeof max === 'number' && max < min) {
    errors['max'] = `has to be minimally ${min}`;
  }
  if (typeof stepsize === 'number' && stepsize < 1) errors['stepsize'] = 'has to be minimally 1';
  return Object.keys(errors).length > 0 ? invalid('input parameters are not valid', errors) : undefined;
}
