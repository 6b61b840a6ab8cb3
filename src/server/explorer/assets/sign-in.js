// The explorer's sign-in panel: plain JavaScript for the page, run before GraphiQL's own.
(() => {
  const config = JSON.parse(document.getElementById('optiongraph-config').textContent);
  const { endpoint, headerNames, tokenHeader, oauth, prefilled } = config;

  /** What the page sends for its user: a header, kept as long as the tab, and whether it was issued here; null for none. */
  let credential = window.optiongraph.keptCredential(headerNames);
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
    if (isOurs && (response.status === 401 || panel.open)) void lookAgain();
    return response;
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

  /** Counts the questions who the user is: the answer to one counts until another is asked. */
  let questions = 0;

  /** Who the API says the user is; null for nobody, undefined where nobody can tell just now. */
  async function whoAmI() {
    questions += 1;
    const question = questions;
    try {
      const { session } = await ask(SESSION, {}, {}, AbortSignal.timeout(PATIENCE));
      if (question !== questions) return undefined;
      hasCookie = session.authenticated && credential === null;
      return session.authenticated ? session : null;
    } catch (error) {
      if (question !== questions) return undefined;
      if (error.status !== 401) return credential === null && !hasCookie ? null : undefined;
      // What was kept has ended.
      keep(null);
      hasCookie = false;
      return null;
    }
  }

  function keep(next) {
    credential = next;
    window.optiongraph.keepCredential(next);
  }

  const known = whoAmI();

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
    render(session, { areTabsOthers: session !== null });
    panel.querySelector('summary').focus();
    document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click();
  }

  /**
   * Looks again who is signed in: a session may end, its end may move, and another tab of the browser may begin or end one.
   */
  async function lookAgain() {
    const wasSignedIn = hasCookie || credential !== null;
    const session = await whoAmI();
    if (session === undefined) return;
    if ((session !== null) !== wasSignedIn) show(session);
    else if (session !== null) describe(session);
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
    hasCookie = false;
    others.postMessage('changed');
    show(await whoAmI());
  }

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const label = (text, field) => make('label', {}, text, field);

  function failure(form, error) {
    form.querySelector('[role=alert]')?.remove();
    form.append(make('p', { role: 'alert', textContent: error.message }));
  }

  /** A form for one step of signing in; the next takes its place. */
  function formOfStep(steps, name, token) {
    const { inputs, run } = steps.get(name);
    const fields = inputs
      .filter((input) => token === null || input.name !== 'token')
      .map((input) => {
        if (input.choices)
          return label(
            input.name,
            make(
              'select',
              { name: input.name },
              ...input.choices.map((choice) => make('option', { textContent: choice })),
            ),
          );
        const own = { name: input.name, autocomplete: 'off' };
        if (input.isChoice) return label(input.name, make('input', { ...own, type: 'checkbox' }));
        const text = /pass/i.test(input.name) ? 'password' : 'text';
        const type = input.isNumber ? 'number' : text;
        return label(input.name, make('input', { ...own, type, required: true }));
      });
    const form = make(
      'form',
      {},
      ...fields,
      make('button', { textContent: token === null ? 'Sign in' : 'Go on' }),
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const values = { ...Object.fromEntries(new FormData(form)), ...(token === null ? {} : { token }) };
      try {
        const answer = await run(values);
        if (answer.nextMutation !== null) {
          const next = formOfStep(steps, answer.nextMutation, answer.token);
          form.replaceWith(next);
          next.querySelector('input')?.focus();
          return;
        }
        keep({ name: tokenHeader, value: answer.token, isIssued: true });
        show(await whoAmI());
      } catch (error) {
        failure(form, error);
      }
    });
    return form;
  }

  function formOfToken() {
    const names = make(
      'select',
      { name: 'name' },
      ...headerNames.map((name) => make('option', { textContent: name })),
    );
    names.value = tokenHeader ?? headerNames[0];
    const value = make('input', { name: 'value', type: 'password', required: true, autocomplete: 'off' });
    const form = make(
      'form',
      {},
      label('Header', names),
      label('Token', value),
      make('button', { textContent: 'Use token' }),
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const token = value.value.trim();
      const isBare = names.value === 'Authorization' && !token.includes(' ');
      const next = { name: names.value, value: isBare ? `Bearer ${token}` : token, isIssued: false };
      try {
        // Tried before it is kept.
        await ask(SESSION, {}, { [next.name]: next.value });
        keep(next);
        show(await whoAmI());
      } catch (error) {
        failure(form, error);
      }
    });
    return form;
  }

  const panel = make('details', { id: 'optiongraph-panel' });
  panel.addEventListener('toggle', () => {
    if (panel.open && (hasCookie || credential !== null)) void lookAgain();
  });

  /** How the user is signed in, and until when. */
  const status = make('p');

  function describe({ method, expiresAt = null } = {}) {
    const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toLocaleString()}`;
    status.textContent = method === undefined ? 'The server does not answer.' : `By ${method}${until}.`;
  }

  /** `areTabsOthers`: whether the tabs were made for another caller. */
  function render(session, { areTabsOthers = false } = {}) {
    panel.open = false;
    if (session !== null) {
      describe(session);
      const out = make('button', { type: 'button', textContent: 'Sign out' });
      out.addEventListener('click', () => signOut().catch((error) => failure(out.parentElement, error)));
      const reload = make('button', { type: 'button', textContent: 'Open examples for you' });
      reload.addEventListener('click', () => location.reload());
      panel.replaceChildren(
        make('summary', { textContent: 'Signed in' }),
        make('div', {}, status, ...(areTabsOthers ? [reload] : []), out),
      );
      return;
    }
    const body = make('div');
    panel.replaceChildren(make('summary', { textContent: 'Sign in' }), body);
    if (oauth) {
      const returnTo = encodeURIComponent(location.pathname + location.search);
      body.append(
        make('a', { href: `/auth/login?returnTo=${returnTo}`, textContent: 'Sign in at the provider' }),
      );
    }
    body.append(formOfToken());
    window.optiongraph.stepsOfSignIn(ask).then(
      (steps) => {
        const first = [...steps].find(([, { inputs }]) => inputs.every(({ name }) => name !== 'token'));
        if (first !== undefined && tokenHeader !== null) body.prepend(formOfStep(steps, first[0], null));
      },
      () => undefined,
    );
  }

  document.addEventListener('DOMContentLoaded', async () => {
    document.body.append(panel);
    render(await known);
  });
  others.addEventListener('message', () => void lookAgain());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void lookAgain();
  });
})();
