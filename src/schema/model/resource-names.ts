// Finds resources by the names that outputs and texts use for them.
import { sharedPlaceholders } from './keys.ts';
import { type Model, pathKey, type ResourceModel } from './model.ts';

/** What the name of an id says about the role of its object, in front of the resource. */
const ROLE = /^(?:last|latest|first|current|previous|next|original|old|new|source|src|target|dst|parent)_/;

/** Whether an integer, and the ids of the parents that an object shares with its owner, are the ids of an object that can be read. */
export function isAddressable(owner: ResourceModel, { identity }: ResourceModel): boolean {
  const { show, idPlaceholder, placeholders, valueTypes } = identity;
  if (show === null || idPlaceholder === null || valueTypes.get(idPlaceholder) !== 'integer') return false;
  return placeholders.length === sharedPlaceholders(owner.identity, identity).length + 1;
}

/** The resources of a model by their names. */
export class ResourceNames {
  readonly #model: Model;
  /** Resources by the letters of their whole path, and of its last segment where no other resource has that. */
  readonly #byLetters: ReadonlyMap<string, ResourceModel | null>;

  constructor(model: Model) {
    this.#model = model;
    const byLetters = new Map<string, ResourceModel | null>();
    for (const resource of model.values()) {
      const last = lettersOf(resource.path.at(-1) ?? '');
      if (resource.path.length > 1) byLetters.set(last, byLetters.has(last) ? null : resource);
    }
    for (const resource of model.values()) byLetters.set(lettersOf(resource.path.join('')), resource);
    this.#byLetters = byLetters;
  }

  /** Returns the resource that a text names: by its path, its type, or its last segment if no other resource has this. */
  named(text: unknown): ResourceModel | null {
    return typeof text === 'string' ? (this.#byLetters.get(lettersOf(text)) ?? null) : null;
  }

  /**
   * Returns the resource that the word of an id means for the objects of an owner: what is below or above the owner precedes what
   * is elsewhere. Null if there is none, or if it cannot be read by an integer.
   */
  find(owner: ResourceModel, word: string): ResourceModel | null {
    const plain = this.#nearest(owner, word);
    // Without a role, the id of an own resource may be that of the object itself.
    if (plain !== null && pathKey(plain.path) === pathKey(owner.path)) return null;
    const found = plain ?? this.#nearest(owner, word.replace(ROLE, ''));
    return found !== null && isAddressable(owner, found) ? found : null;
  }

  #nearest({ path }: ResourceModel, word: string): ResourceModel | null {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const scope = path.slice(0, depth);
      const found =
        this.#model.get(pathKey([...scope, word])) ??
        this.#model.get([...scope, word].join('_')) ??
        (scope.at(-1) === word ? this.#model.get(pathKey(scope)) : undefined);
      if (found !== undefined) return found;
    }
    return this.named(word);
  }
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');
