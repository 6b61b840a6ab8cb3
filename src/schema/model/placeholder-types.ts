// Derives from a description whether placeholders are integers.

import type { Identity, PlaceholderType } from '../../loaders/identity.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';

/**
 * Derives the types of placeholders. The resource's own ID has the type of the output parameter that identifies it, a parent's ID has its
 * type on the parent, and another placeholder has the type of the output parameter with the same name.
 * @param ancestors Identities of the ancestors, the outermost first.
 * @param references Associations that refer to the resource.
 */
export function derivePlaceholderTypes(
  { segments, idPlaceholder, idParameter }: Pick<Identity, 'segments' | 'idPlaceholder' | 'idParameter'>,
  ancestors: readonly Identity[],
  actions: readonly Action[],
  references: readonly ResourceParameter[],
): ReadonlyMap<string, PlaceholderType> {
  const outputTypes = new Map<string, PlaceholderType>();
  for (const { name, type } of actions.flatMap(({ output }) => output.parameters))
    outputTypes.set(name, type === 'Integer' && outputTypes.get(name) !== 'text' ? 'integer' : 'text');
  const typeOf = (name: string): PlaceholderType | undefined => outputTypes.get(name);
  const ownIdType = (): PlaceholderType | undefined => {
    const keys = new Set([idParameter, ...references.map(({ valueId }) => valueId)]);
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
