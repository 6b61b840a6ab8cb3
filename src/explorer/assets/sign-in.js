// Who the explorer's requests speak for: plain JavaScript for the page, run before GraphiQL's own.
(() => {
  const config = JSON.parse(document.getElementById('optiongraph-config').textContent);
  const { endpoint, headerNames, prefilled } = config;
  const { keptText, keepText, keptCredential, keepCredential } = window.optiongraph;
  /** Set while the page starts over because the server ended the session. */
  const ENDED = 'optiongraph:session-ended';

  /** What the page sends for its user: a header, kept as long as the tab, and whether it was issued here; null for none. */
  let credential = keptCredential(headerNames);
  /** Whether a cookie speaks for the user. */
  let hasCookie = false;

  /** The browser's other pages of this server. */
  const others = new BroadcastChannel('optiongraph');

  const send = window.fetch.bind(window);
  window.fetch = async (input, init = {}) => {
    const isRequest = input instanceof Request;
    const url = new URL(isRequest ? input.url : input, location.href);
    if (url.origin !== location.origin || url.pathname !== endpoint) return send(input, init);
    // GraphiQL's first look at the schema is that user's already.
    await known;
    const headers = new Headers(init.headers ?? (isRequest ? input.headers : undefined));
    const isOurs = authorize(headers);
    const response = await send(input, { ...init, headers });
    if (isOurs && (response.status === 401 || panel.isOpen())) void lookAgain();
    return window.optiongraph.withLatestStates(response, url);
  };

  /**
   * What the header editor gives stays, but for what it came filled with: whoever signs in wants to be that user.
   * Returns whether the request speaks for who signed in here.
   */
  function authorize(headers) {
    headers.set('x-requested-with', 'GraphiQL');
    if (credential === null && !hasCookie) return false;
    for (const [name, value] of Object.entries(prefilled))
      if (headers.get(name) === value) headers.delete(name);
    if (headerNames.some((name) => headers.has(name))) return false;
    if (credential !== null) headers.set(credential.name, credential.value);
    return true;
  }

  async function ask(query, variables = {}, given = {}, signal = undefined) {
    const headers = new Headers({ 'content-type': 'application/json', ...given });
    authorize(headers);
    const body = JSON.stringify({ query, variables });
    const response = await send(endpoint, { method: 'POST', headers, body, signal });
    const { data, errors } = await response.json();
    if (errors?.length > 0) throw Object.assign(new Error(errors[0].message), { status: response.status });
    return data;
  }

  const SESSION = '{ session { authenticated method expiresAt } }';

  /** How long the page waits for what it would like to know before it shows itself. Milliseconds. */
  const PATIENCE = 5_000;

  /** The newest answer to come: an answer to an earlier request is outdated. */
  let newest;

  /** The session that the API knows; null for none, undefined where the answer is missing. */
  function whoAmI() {
    const answer = ask(SESSION, {}, {}, AbortSignal.timeout(PATIENCE)).then(
      ({ session }) => (answer === newest ? begin(session) : newest),
      (error) => (answer === newest ? explain(error) : newest),
    );
    newest = answer;
    return answer;
  }

  function begin(session) {
    hasCookie = session.authenticated && credential === null;
    return session.authenticated ? session : null;
  }

  function explain({ status }) {
    if (status !== 401) return credential === null && !hasCookie ? null : undefined;
    // The credential that was kept has ended.
    keep(null);
    hasCookie = false;
    return null;
  }

  function keep(next) {
    credential = next;
    keepCredential(next);
  }

  const known = whoAmI();
  const hasEnded = keptText(ENDED) !== null;
  keepText(ENDED, null);

  /** Documents that work with the schema of who is signed in, or else of the header that the editor comes filled with. */
  async function examples() {
    const headers = new Headers(prefilled);
    authorize(headers);
    const response = await send(`${endpoint}/examples`, { headers, signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.json();
  }

  /** Has GraphiQL begin as suits who is signed in; nothing that goes wrong here keeps it from beginning. */
  async function start(root, options) {
    const isSignedIn = (await known) !== null;
    const isFilled = !isSignedIn && Object.keys(prefilled).length > 0;
    const headers = isFilled ? JSON.stringify(prefilled, null, 2) : null;
    const filled = isFilled ? { headers, defaultEditorToolsVisibility: 'headers' } : {};
    try {
      const defaultTabs = (await examples()).map((example) => ({ ...example, headers }));
      if (defaultTabs.length > 0) filled.defaultTabs = defaultTabs;
      window.optiongraph.placeTabs(defaultTabs);
    } catch {
      // GraphiQL begins with what it has.
    }
    window.YogaGraphiQL.renderYogaGraphiQL(root, { ...options, ...filled });
  }
  window.optiongraph = { ...window.optiongraph, start };

  /** Shows who is signed in, and has GraphiQL ask for the schema that is theirs. */
  function show(session) {
    panel.render(session, { areTabsOthers: true });
    panel.focus();
    document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click();
  }

  /**
   * Loads the page again, which removes the results of the user who was signed in, and ends the requests that would bring
   * more. GraphiQL keeps the tabs and what was typed, but no result.
   */
  function startOver() {
    location.reload();
  }

  /**
   * Asks again who is signed in: a session may end, its end may move, and another tab of the browser may begin or end one.
   */
  async function lookAgain() {
    const wasSignedIn = hasCookie || credential !== null;
    const session = await whoAmI();
    if (session === undefined || (session === null && !wasSignedIn)) return;
    if (session !== null) return wasSignedIn ? panel.describe(session) : show(session);
    keepText(ENDED, 'true');
    startOver();
  }

  /** Ends what began here; a token that was pasted is somebody's elsewhere too. */
  async function signOut() {
    if (hasCookie) {
      const headers = { 'x-requested-with': 'GraphiQL' };
      const answer = await send('/auth/logout', { method: 'POST', headers }).catch(() => null);
      // Only the server can take the cookie away.
      if (answer?.status !== 204) throw new Error('The server did not sign you out; try again.');
    } else if (credential?.isIssued) {
      await ask('mutation { tokenRevoke { userErrors { message } } }').catch(() => undefined);
    }
    keep(null);
    others.postMessage({ isCookieGone: hasCookie });
    startOver();
  }

  const panel = window.optiongraph.createPanel(config, {
    ask,
    signOut,
    onOpen: () => void lookAgain(),
    /** Rejects unless the API knows the credential. */
    tryOut: ({ name, value }) => ask(SESSION, {}, { [name]: value }),
    async signIn(next) {
      keep(next);
      show(await whoAmI());
    },
  });

  document.addEventListener('DOMContentLoaded', async () => {
    document.body.append(panel.element);
    const session = await known;
    panel.render(session, { hasEnded: hasEnded && session === null });
  });
  others.addEventListener('message', ({ data }) => {
    // The next user may have a cookie already, so the answer to the question who is signed in could mislead.
    if (data.isCookieGone && hasCookie) startOver();
    else void lookAgain();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void lookAgain();
  });
})();
