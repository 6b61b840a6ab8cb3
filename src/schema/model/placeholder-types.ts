// Derives from a description whether placeholders are integers.

import type { Identity, PlaceholderType } from '../../loaders/identity.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';

/** The parts of a description that determine the types of a resource's placeholders. */
export interface PlaceholderSources {
  /** The resource's placeholders for each segment of its path. */
  readonly identity: Pick<Identity, 'segments' | 'idPlaceholder'>;
  /** Identities of the ancestors, the outermost first. */
  readonly ancestors: readonly Identity[];
  readonly actions: readonly Action[];
  /** Associations that refer to the resource. */
  readonly references: readonly Pick<ResourceParameter, 'valueId'>[];
}

/**
 * Derives the types of placeholders. The resource's own ID has the type of the output parameter `id`, a parent's ID has its
 * type on the parent, and another placeholder has the type of the output parameter with the same name.
 */
export function derivePlaceholderTypes({
  identity: { segments, idPlaceholder },
  ancestors,
  actions,
  references,
}: PlaceholderSources): ReadonlyMap<string, PlaceholderType> {
  const outputs = actions.flatMap(({ output }) => output.parameters);
  const typeOf = (name: string): PlaceholderType | undefined => {
    const types = outputs.filter((parameter) => parameter.name === name).map(({ type }) => type);
    if (types.length === 0) return undefined;
    return types.every((type) => type === 'Integer') ? 'integer' : 'text';
  };
  const ownIdType = (): PlaceholderType | undefined => {
    const keys = new Set(['id', ...references.map(({ valueId }) => valueId)]);
    const types = [...keys].map(typeOf);
    return types.every((type) => type === types[0]) ? types[0] : undefined;
  };
  const types = new Map<string, PlaceholderType>();
  for (const [depth, placeholders] of segments.entries()) {
    const above = ancestors[depth];
    const aboveId = above?.idPlaceholder ?? null;
    for (const placeholder of placeholders) {
      const inherited = aboveId === null ? undefined : above?.valueTypes.get(aboveId);
      const own = placeholder === idPlaceholder ? ownIdType() : undefined;
      const type = own ?? inherited ?? typeOf(placeholder);
      if (type !== undefined) types.set(placeholder, type);
    }
  }
  return types;
}
