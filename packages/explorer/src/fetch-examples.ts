// Fetches the examples that the server offers.
import { endpoint } from './config.ts';
import { START_TIMEOUT } from './session/execute.ts';
import { session } from './session/session.ts';

/** A document for a tab of its own. */
export interface TabDocument {
  readonly query: string;
  /** JSON; null for none. */
  readonly variables: string | null;
}

/** Fetches example documents that are valid in the schema of the user; null when that fails. */
export async function fetchExamples(): Promise<readonly TabDocument[] | null> {
  try {
    const { headers } = session.authorize(session.defaultHeaders);
    const response = await fetch(`${endpoint}/examples`, {
      headers,
      signal: AbortSignal.timeout(START_TIMEOUT),
    });
    return response.ok ? ((await response.json()) as TabDocument[]) : null;
  } catch {
    return null;
  }
}

/** What may be a document, such as the contents of a tab. */
export type TabContent = { readonly [Part in keyof TabDocument]?: string | null | undefined };

/** Whether two documents would be the same tab. */
export const isSameTab = (a: TabContent, b: TabContent): boolean =>
  (a.query ?? '') === (b.query ?? '') && (a.variables ?? '') === (b.variables ?? '');
