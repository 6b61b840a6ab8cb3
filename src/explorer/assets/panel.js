// The explorer's panel to sign in and out: plain JavaScript for the page.
(() => {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const label = (text, field) => make('label', {}, text, field);
  const choice = (name, choices) =>
    make('select', { name }, ...choices.map((text) => make('option', { textContent: text })));

  function showFailure(form, error) {
    form.querySelector('[role=alert]')?.remove();
    form.append(make('p', { role: 'alert', textContent: error.message }));
  }

  /** A form that shows what goes wrong when it is submitted. */
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

  function fieldOf(input) {
    if (input.choices) return label(input.name, choice(input.name, input.choices));
    const own = { name: input.name, autocomplete: 'off' };
    if (input.isChoice) return label(input.name, make('input', { ...own, type: 'checkbox' }));
    const text = /pass/i.test(input.name) ? 'password' : 'text';
    const type = input.isNumber ? 'number' : text;
    return label(input.name, make('input', { ...own, type, required: true }));
  }

  /**
   * Makes the panel.
   * @param session `ask` sends a query; `tryOut` rejects a credential that the API does not know; `signIn` begins to use one;
   * `signOut` rejects when the server does not end the session; `onOpen` is called when a signed-in user opens the panel.
   */
  function createPanel({ oauth, headerNames, tokenHeader }, { ask, tryOut, signIn, signOut, onOpen }) {
    const element = make('details', { id: 'optiongraph-panel' });
    /** How the user is signed in, and until when. */
    const status = make('p');
    let isSignedIn = false;
    element.addEventListener('toggle', () => {
      if (element.open && isSignedIn) onOpen();
    });

    /** A form for one step of signing in; the next takes its place. */
    function formOfStep(steps, name, token) {
      const { inputs, run } = steps.get(name);
      const fields = inputs.filter((input) => token === null || input.name !== 'token').map(fieldOf);
      return makeForm(fields, token === null ? 'Sign in' : 'Go on', async (form) => {
        const values = { ...Object.fromEntries(new FormData(form)), ...(token === null ? {} : { token }) };
        const answer = await run(values);
        if (answer.nextMutation === null)
          return signIn({ name: tokenHeader, value: answer.token, isIssued: true });
        const next = formOfStep(steps, answer.nextMutation, answer.token);
        form.replaceWith(next);
        next.querySelector('input')?.focus();
      });
    }

    function formOfToken() {
      const names = choice('name', headerNames);
      names.value = tokenHeader ?? headerNames[0];
      const value = make('input', { name: 'value', type: 'password', required: true, autocomplete: 'off' });
      return makeForm([label('Header', names), label('Token', value)], 'Use token', async () => {
        const token = value.value.trim();
        const isBare = names.value === 'Authorization' && !token.includes(' ');
        const next = { name: names.value, value: isBare ? `Bearer ${token}` : token, isIssued: false };
        await tryOut(next);
        await signIn(next);
      });
    }

    function describe({ method, expiresAt = null }) {
      const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toLocaleString()}`;
      status.textContent = method === undefined ? 'The server does not answer.' : `By ${method}${until}.`;
    }

    function renderSignedIn(session, areTabsOthers) {
      describe(session);
      const out = make('button', { type: 'button', textContent: 'Sign out' });
      out.addEventListener('click', () => signOut().catch((error) => showFailure(out.parentElement, error)));
      const reload = make('button', { type: 'button', textContent: 'Open examples for you' });
      reload.addEventListener('click', () => location.reload());
      element.replaceChildren(
        make('summary', { textContent: 'Signed in' }),
        make('div', {}, status, ...(areTabsOthers ? [reload] : []), out),
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
          make('a', { href: `/auth/login?returnTo=${returnTo}`, textContent: 'Sign in at the provider' }),
        );
      }
      forms.append(formOfToken());
      window.optiongraph.stepsOfSignIn(ask).then(
        (steps) => {
          const first = [...steps].find(([, { inputs }]) => inputs.every(({ name }) => name !== 'token'));
          if (first !== undefined && tokenHeader !== null) forms.prepend(formOfStep(steps, first[0], null));
        },
        () => undefined,
      );
    }

    /**
     * Shows a session; null for nobody, undefined where nobody can tell just now.
     * @param areTabsOthers Whether the tabs were made for another caller.
     * @param hasEnded Whether the server ended the session that the page had before.
     */
    function render(session, { areTabsOthers = false, hasEnded = false } = {}) {
      element.open = hasEnded;
      isSignedIn = session !== null;
      if (session === null) renderSignedOut(hasEnded);
      else renderSignedIn(session ?? {}, areTabsOthers);
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
