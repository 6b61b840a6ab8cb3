// Caches schemas by description.

import { LRUCache } from 'lru-cache';
import { findStateActions, type StateActions } from '../upstream/actions/action-calls.ts';
import { anonymousDescription } from '../upstream/description/anonymous-description.ts';
import type { Description } from '../upstream/description/description.ts';
import type { DescriptionText } from '../upstream/description/description-source.ts';
import { parseDescription } from '../upstream/description/parse-description.ts';
import type { Finding } from '../upstream/reader.ts';
import { type AssembledSchema, assembleSchema } from './assemble.ts';
import { type Exposure, exposeActions, withoutMutations, withoutUnusedTypes } from './exposure.ts';
import type { Overrides } from './model/overrides.ts';
import type { SchemaExtension } from './schema-extension.ts';

/** The schema of a description with the data that is needed to serve it. */
export interface ServedSchema extends AssembledSchema {
  /** Identifies the description and the part of it that the schema contains. */
  readonly fingerprint: string;
  /** What the API describes, also what clients may not use. */
  readonly description: Description;
  /** The actions that watch running actions for clients. */
  readonly stateActions: StateActions;
}

/** What the schemas of all callers have in common. */
export interface RegistryOptions extends Exposure {
  readonly overrides?: Overrides | undefined;
  readonly extensions?: readonly SchemaExtension[];
  /** Called for each finding that is added while a schema is served. */
  readonly onLateFinding?: (finding: Finding) => void;
}

/**
 * Maximum total length, in characters, of the descriptions whose schemas are cached. A schema takes about six bytes of heap for
 * each character (`npm run bench -- callers`), so the limit is about 350 MB, or fifteen schemas of a large production API.
 */
const MAX_SIZE = 60_000_000;

/** Caches one schema for each description and evicts the least recently used. Callers with the same description share a schema. */
export class SchemaRegistry {
  readonly #options: RegistryOptions;
  readonly #served = new LRUCache<string, ServedSchema>({ maxSize: MAX_SIZE });

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** The cached schemas. */
  get schemas(): readonly ServedSchema[] {
    return [...this.#served.values()];
  }

  /** Returns the cached schema with a fingerprint. */
  get(fingerprint: string): ServedSchema | undefined {
    return this.#served.get(fingerprint);
  }

  /**
   * Returns the schema of a description. Assembles it if it is not cached.
   * @param part `open` contains only what anonymous callers may use, even if the description contains more.
   * @throws DescriptionError when the description is invalid.
   */
  schemaFor(text: DescriptionText, part: 'whole' | 'open'): ServedSchema {
    const fingerprint = `${part} ${text.fingerprint}`;
    const cached = this.#served.get(fingerprint);
    if (cached !== undefined) return cached;
    const whole = parseDescription(text.read());
    const description = part === 'whole' ? whole : anonymousDescription(whole);
    const { overrides, extensions, onLateFinding, readOnly = false } = this.#options;
    const exposed = exposeActions(description, this.#options);
    const { schema: full, findings } = assembleSchema(exposed, overrides, extensions, onLateFinding);
    // A type that only a hidden action returns would be unreachable.
    const isReduced = part === 'open' || exposed !== description;
    const schema = readOnly ? withoutMutations(full) : isReduced ? withoutUnusedTypes(full) : full;
    const stateActions = findStateActions(exposed.resources);
    const served = { schema, findings, description, stateActions, fingerprint };
    this.#served.set(fingerprint, served, { size: Math.max(1, text.length) });
    return served;
  }
}
