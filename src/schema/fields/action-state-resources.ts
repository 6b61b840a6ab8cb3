// Adds to `ActionState` the fields for resources that share its IDs.

import { Entity } from '../../loaders/entity.ts';
import { pathIdsOf } from '../../loaders/identity.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import { lacksLabel, needsFetch } from '../resolve/projection.ts';

/** Returns the described resources that, according to the overrides, share the IDs of action states. */
export function actionStateResources({
  model,
  overrides,
}: Pick<Assembly, 'model' | 'overrides'>): readonly ResourceModel[] {
  const paths = overrides.actionStateResources ?? [];
  return paths.flatMap((path) => model.get(path) ?? []);
}

/** Adds a field to `ActionState` for each of these resources. */
export function addActionStateResources(assembly: Assembly): void {
  const { builder, types, sources, report } = assembly;
  const host = types.actionState;
  if (host === null) return;
  for (const target of actionStateResources(assembly)) {
    const { identity, path } = target;
    const type = types.typeFor(target);
    if (type === null || identity.idPlaceholder === null || identity.placeholders.length !== 1) {
      const reason =
        'cannot share IDs with action states, because its objects are not identified by a single ID; left out';
      report.add('OVERRIDE_UNUSABLE', path.join('.'), reason);
      continue;
    }
    const name = host.fields.claim(target.fieldPrefix, path.join('.'));
    builder.objectField(host.ref, name, (t) =>
      t.field({
        type: type.ref,
        description: `The ${target.typeName} with the same ID as this action state. Null if there is none.`,
        resolve: async (actionState, _args, { operation }, info) => {
          const pathIds = pathIdsOf(identity, actionState.requireIds());
          const entity = new Entity(identity, 'association', {}, { pathIds });
          const projection = sources.projectionFor(target, info);
          const isIncomplete = needsFetch(entity, projection) || lacksLabel(entity, projection);
          return isIncomplete ? operation.reload(entity, projection) : entity;
        },
      }),
    );
  }
}
