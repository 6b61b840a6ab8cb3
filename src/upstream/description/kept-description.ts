// Takes the operator's description from an earlier process, which has kept it.
import type { Credential } from '../http/caller.ts';
import type { DescriptionSource } from './description-source.ts';

/** A description that an earlier process has fetched. */
export interface KeptDescription {
  /** The body of the response. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** Keeps the operator's description for later processes. */
export interface DescriptionKeeper {
  /** The description that is kept; null when none is, or none that may be used. */
  load(): KeptDescription | null;
  /**
   * Keeps a description. Called once the description and its credential have proved to be valid. A failure to keep it is silent.
   * @param description What the body describes, as JSON.
   */
  save(body: string, description: unknown): void;
  /** Forgets the description, because it may be outdated. */
  drop(): void;
}

/** Makes a source that asks the upstream for the operator's description only if none is kept. The credential is verified in any case. */
export function keepDescription(
  source: DescriptionSource,
  keeper: DescriptionKeeper,
  operator: Credential | null,
): DescriptionSource {
  return {
    ...source,
    async checkVersion(credential) {
      // A description is kept only for a version that exists.
      if (keeper.load() === null) await source.checkVersion(credential);
    },
    async fetch(credential, options = {}) {
      if (credential?.key !== operator?.key || options.language !== undefined)
        return source.fetch(credential, options);
      const kept = options.mustAsk ? null : keeper.load();
      if (kept !== null) return { ...source.fromBody(kept.body), age: Date.now() - kept.fetchedAt };
      keeper.drop();
      const text = await source.fetch(credential, options);
      return { ...text, share: () => keeper.save(text.body, text.read()) };
    },
  };
}
