import { Entity } from '../../loaders/entity.ts';
import { pathIdsOf } from '../../loaders/identity.ts';
import type { Assembly } from '../assembly.ts';
import type { ResourceModel } from '../model/model.ts';
import { ACTION_STATE } from '../names/naming.ts';
import { needsFetch } from '../resolve/projection.ts';

/** The described resources that the overrides declare to share the ids of action states. */
export function actionStateResources({
  model,
  overrides,
}: Pick<Assembly, 'model' | 'overrides'>): readonly ResourceModel[] {
  const paths = overrides.actionStateResources ?? [];
  return paths.flatMap((path) => model.get(path) ?? []);
}

/** Adds to `ActionState` a field to each resource whose objects have the ids of action states. */
export function addActionStateResources(assembly: Assembly): void {
  const { builder, model, types, sources, report } = assembly;
  const state = model.get(ACTION_STATE);
  const host = state === undefined ? null : types.typeFor(state);
  if (host === null) return;
  for (const target of actionStateResources(assembly)) {
    const { identity, path } = target;
    const type = types.typeFor(target);
    if (type === null || identity.idPlaceholder === null || identity.placeholders.length !== 1) {
      const reason = 'it cannot share its ids with action states: one id does not name its objects; left out';
      report.add('OVERRIDE_UNUSABLE', path.join('.'), reason);
      continue;
    }
    const name = host.fields.claim(target.fieldPrefix, path.join('.'));
    builder.objectField(host.ref, name, (t) =>
      t.field({
        type: type.ref,
        description: `The ${target.typeName} that has the id of this state; null when there is none.`,
        resolve: async (holder, _args, { operation }, info) => {
          const pathIds = pathIdsOf(identity, holder.requireIds());
          const entity = new Entity(identity, 'association', {}, { pathIds });
          const projection = sources.projectionFor(target, info, operation);
          return needsFetch(entity, projection) ? operation.reload(entity, projection) : entity;
        },
      }),
    );
  }
}
