// The explorer's sign-in panel: plain JavaScript for the page, run before GraphiQL's own.
(() => {
  const config = JSON.parse(document.getElementById('optiongraph-config').textContent);
  const { endpoint, headerNames, tokenHeader, oauth, prefilled } = config;
  const STORE = 'optiongraph:credential';

  /** What the page sends for its user: a header, kept as long as the tab; null for none. */
  let credential = JSON.parse(sessionStorage.getItem(STORE) ?? 'null');
  /** Whether a cookie speaks for the user. */
  let hasCookie = false;

  const send = window.fetch.bind(window);
  window.fetch = (input, init = {}) => {
    const isRequest = input instanceof Request;
    const url = new URL(isRequest ? input.url : input, location.href);
    if (url.origin !== location.origin || url.pathname !== endpoint) return send(input, init);
    const headers = new Headers(init.headers ?? (isRequest ? input.headers : undefined));
    authorize(headers);
    return send(input, { ...init, headers });
  };

  /** What the header editor gives stays, but for what it came filled with: whoever signs in wants to be that user. */
  function authorize(headers) {
    headers.set('x-requested-with', 'GraphiQL');
    if (credential === null && !hasCookie) return;
    for (const [name, value] of Object.entries(prefilled))
      if (headers.get(name) === value) headers.delete(name);
    if (credential !== null && !headerNames.some((name) => headers.has(name)))
      headers.set(credential.name, credential.value);
  }

  async function ask(query, variables = {}, headers = {}) {
    const response = await window.fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    if (errors?.length > 0) throw new Error(errors[0].message);
    return data;
  }

  const SESSION = '{ session { authenticated method expiresAt } }';

  /** Who the API says the user is; null for nobody. */
  async function whoAmI() {
    try {
      const { session } = await ask(SESSION);
      if (session.authenticated) hasCookie = credential === null;
      if (session.authenticated) return session;
    } catch {
      // The credential has ended.
      keep(null);
    }
    hasCookie = false;
    return null;
  }

  function keep(next) {
    credential = next;
    if (next === null) sessionStorage.removeItem(STORE);
    else sessionStorage.setItem(STORE, JSON.stringify(next));
  }

  /** Shows who is signed in, and has GraphiQL ask for the schema that is theirs. */
  async function changed() {
    const session = await whoAmI();
    render(session);
    document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click();
  }

  async function signOut() {
    if (hasCookie)
      await send('/auth/logout', { method: 'POST', headers: { 'x-requested-with': 'GraphiQL' } });
    else await ask('mutation { tokenRevoke { userErrors { message } } }').catch(() => undefined);
    keep(null);
    hasCookie = false;
    await changed();
  }

  const MUTATIONS = `{ __type(name: "Mutation") { fields {
    name args { name type { ofType { name } } } type { name fields { name } }
  } } }`;
  const STEP = `query ($input: String!, $payload: String!) {
    input: __type(name: $input) { inputFields { name type { kind ofType { enumValues { name } } } } }
    payload: __type(name: $payload) { fields { name type { fields { name } } } }
  }`;

  /** The mutations that sign in step by step, by name: those that tell the next one. */
  async function stepsOfSignIn() {
    const { __type: mutation } = await ask(MUTATIONS);
    const steps = (mutation?.fields ?? []).filter(({ type }) =>
      type.fields?.some(({ name }) => name === 'nextMutation'),
    );
    return new Map(await Promise.all(steps.map(async (step) => [step.name, await readStep(step)])));
  }

  async function readStep({ name, args, type }) {
    const inputType = args.find((argument) => argument.name === 'input')?.type.ofType?.name;
    const { input, payload } = await ask(STEP, { input: inputType, payload: type.name });
    const inputs = input.inputFields
      .filter((field) => field.type.kind === 'NON_NULL')
      .map((field) => ({
        name: field.name,
        choices: field.type.ofType.enumValues?.map((value) => value.name),
      }));
    const result = payload.fields.find((field) => field.type.fields?.some((own) => own.name === 'token'));
    const selection = `nextMutation userErrors { message } ${result.name} { token }`;
    const document = `mutation ($input: ${inputType}!) { ${name}(input: $input) { ${selection} } }`;
    return {
      inputs,
      run: async (values) => readAnswer((await ask(document, { input: values }))[name], result.name),
    };
  }

  function readAnswer({ nextMutation, userErrors, ...rest }, result) {
    if (userErrors.length > 0) throw new Error(userErrors.map(({ message }) => message).join('; '));
    return { nextMutation, token: rest[result].token };
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
        const type = /pass/i.test(input.name) ? 'password' : 'text';
        return label(
          input.name,
          make('input', { name: input.name, type, required: true, autocomplete: 'off' }),
        );
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
        keep({ name: tokenHeader, value: answer.token });
        await changed();
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
      const next = { name: names.value, value: value.value.trim() };
      try {
        // Tried before it is kept.
        await ask(SESSION, {}, { [next.name]: next.value });
        keep(next);
        await changed();
      } catch (error) {
        failure(form, error);
      }
    });
    return form;
  }

  const panel = make('details', { id: 'optiongraph-panel' });

  function render(session) {
    panel.open = false;
    if (session !== null) {
      const until =
        session.expiresAt === null ? '' : `, until ${new Date(session.expiresAt).toLocaleString()}`;
      const out = make('button', { type: 'button', textContent: 'Sign out' });
      out.addEventListener('click', () => void signOut());
      panel.replaceChildren(
        make('summary', { textContent: 'Signed in' }),
        make('div', {}, make('p', { textContent: `By ${session.method}${until}.` }), out),
      );
      return;
    }
    const body = make('div');
    panel.replaceChildren(make('summary', { textContent: 'Sign in' }), body);
    if (oauth) {
      const returnTo = encodeURIComponent(location.pathname);
      body.append(
        make('a', { href: `/auth/login?returnTo=${returnTo}`, textContent: 'Sign in at the provider' }),
      );
    }
    body.append(formOfToken());
    stepsOfSignIn().then(
      (steps) => {
        const first = [...steps].find(([, { inputs }]) => inputs.every(({ name }) => name !== 'token'));
        if (first !== undefined && tokenHeader !== null) body.prepend(formOfStep(steps, first[0], null));
      },
      () => undefined,
    );
  }

  document.addEventListener('DOMContentLoaded', async () => {
    document.body.append(panel);
    render(null);
    render(await whoAmI());
  });
})();
