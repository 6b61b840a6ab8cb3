// Adds the user's credential to the explorer's requests, and signs in and out. Plain JavaScript for the page, run before GraphiQL.
(() => {
  const config = JSON.parse(document.getElementById('optiongraph-config').textContent);
  const { endpoint, basePath, headerNames, prefilled } = config;
  const { readText, storeText, readCredential, storeCredential } = window.optiongraph;
  /** Stored while the page is loaded again because the server has ended the session. */
  const ENDED = 'optiongraph:session-ended';

  /** The header that carries the user's credential, and whether this page has issued it; null for none. */
  let credential = readCredential(headerNames);
  /** Whether the user's credential is in a cookie. */
  let hasCookie = false;

  /** Reaches the other pages of this server in the browser. */
  const others = new BroadcastChannel('optiongraph');

  const send = window.fetch.bind(window);
  window.fetch = async (input, init = {}) => {
    const isRequest = input instanceof Request;
    const url = new URL(isRequest ? input.url : input, location.href);
    if (url.origin !== location.origin || url.pathname !== endpoint) return send(input, init);
    // GraphiQL's first request must be sent with the user's credential.
    await firstSession;
    const headers = new Headers(init.headers ?? (isRequest ? input.headers : undefined));
    const usesSession = authorize(headers);
    const response = await send(input, { ...init, headers });
    if (usesSession && (response.status === 401 || panel.isOpen())) void checkSession();
    return window.optiongraph.withLatestStates(response, url);
  };

  /**
   * Adds the user's credential to headers. Headers from the header editor take precedence, except those that it holds at first.
   * Returns whether the request uses the session of this page.
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

  async function execute(query, variables = {}, given = {}, signal = undefined) {
    const headers = new Headers({ 'content-type': 'application/json', ...given });
    authorize(headers);
    const body = JSON.stringify({ query, variables });
    const response = await send(endpoint, { method: 'POST', headers, body, signal });
    const { data, errors } = await response.json();
    if (errors?.length > 0) throw Object.assign(new Error(errors[0].message), { status: response.status });
    return data;
  }

  const SESSION = '{ session { authenticated method expiresAt } }';

  /** Longest wait for the session and the examples before the page is shown. Milliseconds. */
  const START_TIMEOUT = 5_000;

  /** The promise of the latest request for the session. The results of earlier requests are outdated. */
  let newest;

  /** Fetches the session; null for none, undefined when the server does not answer. */
  function fetchSession() {
    const answer = execute(SESSION, {}, {}, AbortSignal.timeout(START_TIMEOUT)).then(
      ({ session }) => (answer === newest ? acceptSession(session) : newest),
      (error) => (answer === newest ? handleFailure(error) : newest),
    );
    newest = answer;
    return answer;
  }

  function acceptSession(session) {
    hasCookie = session.authenticated && credential === null;
    return session.authenticated ? session : null;
  }

  function handleFailure({ status }) {
    if (status !== 401) return credential === null && !hasCookie ? null : undefined;
    // The stored credential has ended.
    setCredential(null);
    hasCookie = false;
    return null;
  }

  function setCredential(next) {
    credential = next;
    storeCredential(next);
  }

  const firstSession = fetchSession();
  const hasEnded = readText(ENDED) !== null;
  storeText(ENDED, null);

  /** Fetches example documents that are valid in the schema of the user, or of the headers that the header editor holds at first. */
  async function fetchExamples() {
    const headers = new Headers(prefilled);
    authorize(headers);
    const response = await send(`${endpoint}/examples`, {
      headers,
      signal: AbortSignal.timeout(START_TIMEOUT),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.json();
  }

  /** Starts GraphiQL with the tabs and headers for the user. A failure to fetch the examples does not prevent the start. */
  async function start(root, options) {
    const isSignedIn = (await firstSession) !== null;
    const isFilled = !isSignedIn && Object.keys(prefilled).length > 0;
    const headers = isFilled ? JSON.stringify(prefilled, null, 2) : null;
    const filled = isFilled ? { headers, defaultEditorToolsVisibility: 'headers' } : {};
    try {
      const defaultTabs = (await fetchExamples()).map((example) => ({ ...example, headers }));
      if (defaultTabs.length > 0) filled.defaultTabs = defaultTabs;
      window.optiongraph.placeTabs(defaultTabs);
    } catch {
      // GraphiQL starts with its stored tabs.
    }
    window.YogaGraphiQL.renderYogaGraphiQL(root, { ...options, ...filled });
  }
  window.optiongraph = { ...window.optiongraph, start };

  /** Shows the session, and makes GraphiQL fetch the schema again. */
  function show(session) {
    panel.render(session, { areTabsOutdated: true });
    panel.focus();
    document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click();
  }

  /**
   * Loads the page again. This removes the results of the user who was signed in, and ends their requests. GraphiQL keeps the tabs
   * with their documents, but no results.
   */
  function reloadPage() {
    location.reload();
  }

  /**
   * Fetches the session again, because it may have ended, its end may have moved, or another tab may have signed in or out.
   */
  async function checkSession() {
    const wasSignedIn = hasCookie || credential !== null;
    const session = await fetchSession();
    if (session === undefined || (session === null && !wasSignedIn)) return;
    if (session !== null) return wasSignedIn ? panel.describe(session) : show(session);
    storeText(ENDED, 'true');
    reloadPage();
  }

  /** Ends the session. A pasted token is not revoked, because it may be in use elsewhere. */
  async function signOut() {
    if (hasCookie) {
      const headers = { 'x-requested-with': 'GraphiQL' };
      const response = await send(`${basePath}/auth/logout`, { method: 'POST', headers }).catch(() => null);
      // Only the server can remove the cookie.
      if (response?.status !== 204) throw new Error('The server did not sign you out; try again.');
    } else if (credential?.isIssued) {
      await execute('mutation { tokenRevoke { userErrors { message } } }').catch(() => undefined);
    }
    setCredential(null);
    others.postMessage({ isCookieGone: hasCookie });
    reloadPage();
  }

  const panel = window.optiongraph.createPanel(config, {
    query: execute,
    signOut,
    onOpen: () => void checkSession(),
    /** Rejects when the API does not know the credential. */
    verify: ({ name, value }) => execute(SESSION, {}, { [name]: value }),
    async signIn(next) {
      setCredential(next);
      show(await fetchSession());
    },
  });

  document.addEventListener('DOMContentLoaded', async () => {
    document.body.append(panel.element);
    const session = await firstSession;
    panel.render(session, { hasEnded: hasEnded && session === null });
  });
  others.addEventListener('message', ({ data }) => {
    // Fetching the session could mislead, because the next user may have signed in with a cookie already.
    if (data.isCookieGone && hasCookie) reloadPage();
    else void checkSession();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void checkSession();
  });
})();
