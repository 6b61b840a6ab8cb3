// Takes descriptions from an earlier process, which has kept them.
import type { Credential } from '../http/caller.ts';
import type { DescriptionSource } from './description-source.ts';

/** A description that an earlier process has fetched. */
export interface KeptDescription {
  /** The body of the response. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** Keeps one caller's description for later processes. */
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

/** Finds the keeper of the description for a credential; null where it is not kept. */
export type KeeperFor = (credential: Credential | null) => DescriptionKeeper | null;

/** Makes a source that asks the upstream for a description only if none is kept. Credentials are verified in any case. */
export function keepDescriptions(source: DescriptionSource, keeperFor: KeeperFor): DescriptionSource {
  return {
    ...source,
    async checkVersion(credential) {
      // A description is kept only for a version that exists.
      const kept = keeperFor(credential)?.load() ?? null;
      if (kept === null) await source.checkVersion(credential);
    },
    async fetch(credential, options = {}) {
      const keeper = options.language === undefined ? keeperFor(credential) : null;
      if (keeper === null) return source.fetch(credential, options);
      const kept = options.mustAsk ? null : keeper.load();
      if (kept !== null) return { ...source.fromBody(kept.body), age: Date.now() - kept.fetchedAt };
      keeper.drop();
      const text = await source.fetch(credential, options);
      return { ...text, keep: () => keeper.save(text.body, text.read()) };
    },
  };
}
