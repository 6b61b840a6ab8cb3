// Finds the fields that objects have besides references and reverse edges, whose names these may not take.
import type { Model, ResourceModel } from '../model/model.ts';
import { findHost, placeAction } from '../model/placement.ts';
import { fieldNameOf, type ReservedNames } from './naming.ts';
import { nameRead } from './read-names.ts';

/** Returns the names of the fields by resource: identity, label, outputs and reads. */
export function ownFieldsOf(
  model: Model,
  reserved: ReservedNames,
): ReadonlyMap<ResourceModel, ReadonlySet<string>> {
  const fields = new Map<ResourceModel, Set<string>>();
  for (const resource of model.values()) {
    const outputs = [...resource.parameters.keys()].map((name) => fieldNameOf(name));
    fields.set(resource, new Set(['id', 'databaseId', 'label', ...outputs]));
  }
  for (const resource of model.values())
    for (const action of resource.reads) {
      const placement = placeAction(resource, action);
      const host = findHost(placement);
      if (host?.resource) fields.get(host.resource)?.add(nameRead(placement, host.kind, reserved));
    }
  return fields;
}
