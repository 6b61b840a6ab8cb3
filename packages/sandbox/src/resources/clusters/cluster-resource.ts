// Defines the resource of cluster resources, such as CPU cores and disk space.
import { index, show } from '../../actions/actions.ts';
import {
  conflict,
  create,
  inputFields,
  insertRow,
  invalidInput,
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

const EMPTY_FIELDS: Fields = { name: null, label: null, min: null, max: null, stepsize: null };

/** Resources that objects allocate. The response to `create` has no fields: only its metadata contains the new id. */
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
        const fields = { ...EMPTY_FIELDS, ...inputFields(call) };
        return checkName(call) ?? checkBounds(fields) ?? insertRow(call, fields);
      },
    }),
    update: update({
      description: 'Update environment resource',
      role: 'admin',
      input: settings,
      change: (call, row) =>
        checkName(call, row) ?? checkBounds({ ...row, ...inputFields(call) }) ?? updateRow(call, row),
    }),
  },
};

function checkName(call: Call, except?: Row): Failure | undefined {
  const { name } = inputFields(call, ['name']);
  if (name === undefined || !isTaken(call, { name }, except)) return undefined;
  return conflict(`cluster resource '${name}' already exists`);
}

/** Fails where the maximum is less than the minimum, or the step is less than 1. */
function checkBounds({ min, max, stepsize }: Fields): Failure | undefined {
  const errors: Record<string, string> = {};
  if (typeof min === 'number' && typeof max === 'number' && max < min) {
    errors['max'] = `has to be minimally ${min}`;
  }
  if (typeof stepsize === 'number' && stepsize < 1) errors['stepsize'] = 'has to be minimally 1';
  return Object.keys(errors).length > 0 ? invalidInput('input parameters are not valid', errors) : undefined;
}
