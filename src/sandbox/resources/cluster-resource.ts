import { index, show } from '../actions.ts';
import type { Call, Failure, Fields, Parameters, ResourceDefinition, Row } from '../definition.ts';
import { integer, string } from '../parameters.ts';
import { conflict, create, given, insertRow, isTaken, update, updateRow } from '../writes.ts';

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
      change: (call) => nameTaken(call) ?? insertRow(call, { ...nothing, ...given(call) }),
    }),
    update: update({
      description: 'Update environment resource',
      role: 'admin',
      input: settings,
      change: (call, row) => nameTaken(call, row) ?? updateRow(call, row),
    }),
  },
};

function nameTaken(call: Call, itself?: Row): Failure | undefined {
  const { name } = given(call, ['name']);
  if (name === undefined || !isTaken(call, { name }, itself)) return undefined;
  return conflict(`cluster resource '${name}' already exists`);
}
