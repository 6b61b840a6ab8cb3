import { LRUCache } from 'lru-cache';
import { anonymousDescription } from '../upstream/description/anonymous-description.ts';
import type { Description } from '../upstream/description/description.ts';
import type { DescriptionText } from '../upstream/description/description-source.ts';
import { parseDescription } from '../upstream/description/parse-description.ts';
import type { Finding } from '../upstream/reader.ts';
import { type AssembledSchema, assembleSchema } from './assemble.ts';
import type { Overrides } from './model/overrides.ts';
import { reachablePart } from './reachable.ts';
import type { SchemaExtension } from './schema-extension.ts';

/** The schema of one description, and what else of the description serving it takes. */
export interface ServedSchema extends AssembledSchema {
  /** Tells it from the schemas of other rights. */
  readonly fingerprint: string;
  readonly description: Description;
}

/**
 * Characters of description whose schemas are kept. A schema takes some six bytes of heap a character (`npm run bench -- callers`),
 * so this is fifteen schemas of a large production API, in 350 MB.
 */
const MAX_SIZE = 60_000_000;

/** Keeps one schema a description, however many callers see it; the least recently used go when there are too many. */
export class SchemaRegistry {
  readonly #overrides: Overrides;
  readonly #extensions: readonly SchemaExtension[];
  readonly #onLateFinding: (finding: Finding) => void;
  readonly #served: LRUCache<string, ServedSchema>;

  /**
   * @param onLateFinding Called for what is found while a schema is served.
   * @param maxSize Characters of description whose schemas are kept at the most.
   */
  constructor(
    overrides: Overrides = {},
    extensions: readonly SchemaExtension[] = [],
    onLateFinding: (finding: Finding) => void = () => undefined,
    maxSize: number = MAX_SIZE,
  ) {
    this.#overrides = overrides;
    this.#extensions = extensions;
    this.#onLateFinding = onLateFinding;
    this.#served = new LRUCache({ maxSize });
  }

  /** Schemas kept now. */
  get schemas(): readonly ServedSchema[] {
    return [...this.#served.values()];
  }

  get(fingerprint: string): ServedSchema | undefined {
    return this.#served.get(fingerprint);
  }

  /**
   * The schema of a description, assembled unless it is known.
   * @param part `open`: only what anonymous callers may use, whatever is described to them.
   * @throws DescriptionError
   */
  schemaFor(text: DescriptionText, part: 'whole' | 'open'): ServedSchema {
    const fingerprint = `${part} ${text.fingerprint}`;
    const known = this.#served.get(fingerprint);
    if (known !== undefined) return known;
    const whole = parseDescription(text.read());
    const description = part === 'whole' ? whole : anonymousDescription(whole);
    const assembled = assembleSchema(description, this.#overrides, this.#extensions, this.#onLateFinding);
    const schema = part === 'whole' ? assembled.schema : reachablePart(assembled.schema);
    const served = { ...assembled, schema, description, fingerprint };
    this.#served.set(fingerprint, served, { size: Math.max(1, text.length) });
    return served;
  }
}
