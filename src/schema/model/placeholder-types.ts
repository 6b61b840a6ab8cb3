import type { Identity, PlaceholderType } from '../../loaders/identity.ts';
import type { Action, ResourceParameter } from '../../upstream/description/description.ts';

/** What tells the types of a resource's placeholders. */
export interface PlaceholderSources {
  /** The resource's placeholders by segment of its path. */
  readonly identity: Pick<Identity, 'segments' | 'idPlaceholder'>;
  /** Identities of the resources above, the outermost first. */
  readonly ancestors: readonly Identity[];
  readonly actions: readonly Action[];
  /** Associations to the resource: each names the key of its id. */
  readonly references: readonly Pick<ResourceParameter, 'valueId'>[];
}

/**
 * Finds what a description says of the values of placeholders: an own id has the type of the output `id`, another
 * placeholder that of the output of its name, and a parent's id the type that it has on the parent.
 */
export function placeholderTypes({
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
