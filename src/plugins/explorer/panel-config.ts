// Defines the configuration that the server writes into the explorer's page.

/** Configuration of the page, as JSON in it. It holds no secret but the headers that an operator wants to be there. */
export interface PanelConfig {
  /** Names of the headers that carry credentials. */
  readonly headerNames: readonly string[];
  /** Name of the header for session tokens; null when the API issues none. */
  readonly tokenHeader: string | null;
  /** Path below which browsers sign in at an OAuth 2.0 provider; null when that is not configured. */
  readonly authPath: string | null;
  /** Headers that the header editor holds at first for callers who are not signed in. */
  readonly prefilled: Readonly<Record<string, string>>;
  /** The operator's name for the API; null: the host at which the browser has reached the page. */
  readonly title: string | null;
  /** A text in the dialog to sign in; null for none. */
  readonly signInHint: string | null;
}
