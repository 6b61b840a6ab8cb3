// The explorer's panel to sign in and out. Plain JavaScript for the page.
(() => {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const makeLabel = (text, field) => make('label', {}, text, field);
  const makeSelect = (name, choices) =>
    make('select', { name }, ...choices.map((text) => make('option', { textContent: text })));

  function showFailure(form, error) {
    form.querySelector('[role=alert]')?.remove();
    form.append(make('p', { role: 'alert', textContent: error.message }));
  }

  /** Makes a form that shows the error when `submit` rejects. */
  function makeForm(fields, buttonText, submit) {
    const form = make('form', {}, ...fields, make('button', { textContent: buttonText }));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        await submit(form);
      } catch (error) {
        showFailure(form, error);
      }
    });
    return form;
  }

  function makeField(input) {
    if (input.choices) return makeLabel(input.name, makeSelect(input.name, input.choices));
    const properties = { name: input.name, autocomplete: 'off' };
    if (input.isChoice) return makeLabel(input.name, make('input', { ...properties, type: 'checkbox' }));
    const text = /pass/i.test(input.name) ? 'password' : 'text';
    const type = input.isNumber ? 'number' : text;
    return makeLabel(input.name, make('input', { ...properties, type, required: true }));
  }

  /**
   * Makes the panel.
   * @param session `query` sends a GraphQL document; `verify` rejects when the API does not know a credential; `signIn` begins to
   * use a credential; `signOut` rejects when the server does not end the session; the panel calls `onOpen` when a signed-in user
   * opens it.
   */
  function createPanel(
    { oauth, basePath, headerNames, tokenHeader },
    { query, verify, signIn, signOut, onOpen },
  ) {
    const element = make('details', { id: 'optiongraph-panel' });
    /** Shows the method of the session and its end. */
    const status = make('p');
    let isSignedIn = false;
    element.addEventListener('toggle', () => {
      if (element.open && isSignedIn) onOpen();
    });

    /** Makes the form for one step of signing in. The form for the next step replaces it. */
    function makeStepForm(steps, name, token) {
      const { inputs, run } = steps.get(name);
      const fields = inputs.filter((input) => token === null || input.name !== 'token').map(makeField);
      return makeForm(fields, token === null ? 'Sign in' : 'Continue', async (form) => {
        const values = { ...Object.fromEntries(new FormData(form)), ...(token === null ? {} : { token }) };
        const answer = await run(values);
        if (answer.nextMutation === null)
          return signIn({ name: tokenHeader, value: answer.token, isIssued: true });
        const next = makeStepForm(steps, answer.nextMutation, answer.token);
        form.replaceWith(next);
        next.querySelector('input')?.focus();
      });
    }

    function makeTokenForm() {
      const names = makeSelect('name', headerNames);
      names.value = tokenHeader ?? headerNames[0];
      const value = make('input', { name: 'value', type: 'password', required: true, autocomplete: 'off' });
      return makeForm([makeLabel('Header', names), makeLabel('Token', value)], 'Use token', async () => {
        const token = value.value.trim();
        const isBare = names.value === 'Authorization' && !token.includes(' ');
        const next = { name: names.value, value: isBare ? `Bearer ${token}` : token, isIssued: false };
        await verify(next);
        await signIn(next);
      });
    }

    function describe({ method, expiresAt = null }) {
      const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toLocaleString()}`;
      status.textContent = method === undefined ? 'The server does not answer.' : `By ${method}${until}.`;
    }

    function renderSignedIn(session, areTabsOutdated) {
      describe(session);
      const out = make('button', { type: 'button', textContent: 'Sign out' });
      out.addEventListener('click', () => signOut().catch((error) => showFailure(out.parentElement, error)));
      const reload = make('button', { type: 'button', textContent: 'Open examples for you' });
      reload.addEventListener('click', () => location.reload());
      element.replaceChildren(
        make('summary', { textContent: 'Signed in' }),
        make('div', {}, status, ...(areTabsOutdated ? [reload] : []), out),
      );
    }

    function renderSignedOut(hasEnded) {
      const notice = make('p', { role: 'status', textContent: 'Your session has ended.' });
      const forms = make('div');
      const body = make('div', {}, ...(hasEnded ? [notice] : []), forms);
      element.replaceChildren(make('summary', { textContent: 'Sign in' }), body);
      if (oauth) {
        const returnTo = encodeURIComponent(location.pathname + location.search);
        forms.append(
          make('a', {
            href: `${basePath}/auth/login?returnTo=${returnTo}`,
            textContent: 'Sign in at the provider',
          }),
        );
      }
      forms.append(makeTokenForm());
      window.optiongraph.readSignInSteps(query).then(
        (steps) => {
          const first = [...steps].find(([, { inputs }]) => inputs.every(({ name }) => name !== 'token'));
          if (first !== undefined && tokenHeader !== null) forms.prepend(makeStepForm(steps, first[0], null));
        },
        () => undefined,
      );
    }

    /**
     * Shows a session; null for no session, undefined when the server does not answer.
     * @param areTabsOutdated Whether the tabs were made for another caller.
     * @param hasEnded Whether the server has ended the previous session of the page.
     */
    function render(session, { areTabsOutdated = false, hasEnded = false } = {}) {
      element.open = hasEnded;
      isSignedIn = session !== null;
      if (session === null) renderSignedOut(hasEnded);
      else renderSignedIn(session ?? {}, areTabsOutdated);
    }

    return {
      element,
      render,
      describe,
      isOpen: () => element.open,
      focus: () => element.querySelector('summary').focus(),
    };
  }

  window.optiongraph = { ...window.optiongraph, createPanel };
})();
