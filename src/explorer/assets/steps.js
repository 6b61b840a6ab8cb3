// Signing in step by step, as the schema describes it: any number of mutations, each telling the next.
(() => {
  const MUTATIONS = `{ __type(name: "Mutation") { fields {
    name args { name type { ofType { name } } } type { name fields { name } }
  } } }`;
  const STEP = `query ($input: String!, $payload: String!) {
    input: __type(name: $input) { inputFields { name type { kind ofType { name enumValues { name } } } } }
    payload: __type(name: $payload) { fields { name type { fields { name } } } }
  }`;
  const NUMBERS = ['Int', 'SafeInt', 'Float'];

  /** The mutations that sign in, by name: those that tell the next one. `ask` answers a query with variables. */
  async function stepsOfSignIn(ask) {
    const { __type: mutation } = await ask(MUTATIONS);
    const steps = (mutation?.fields ?? []).filter(({ type }) =>
      type.fields?.some(({ name }) => name === 'nextMutation'),
    );
    return new Map(await Promise.all(steps.map(async (step) => [step.name, await readStep(ask, step)])));
  }

  /** Its inputs that must be given, and what runs it with the texts of a form. */
  async function readStep(ask, { name, args, type }) {
    const inputType = args.find((argument) => argument.name === 'input')?.type.ofType?.name;
    const { input, payload } = await ask(STEP, { input: inputType, payload: type.name });
    const inputs = input.inputFields.filter((field) => field.type.kind === 'NON_NULL').map(readInput);
    const result = payload.fields.find((field) => field.type.fields?.some((own) => own.name === 'token'));
    const told = result.type.fields.some((own) => own.name === 'complete') ? 'token complete' : 'token';
    const selection = `nextMutation userErrors { message } ${result.name} { ${told} }`;
    const document = `mutation ($input: ${inputType}!) { ${name}(input: $input) { ${selection} } }`;
    return {
      inputs,
      async run(texts) {
        const given = inputs.map((own) => [own.name, readText(own, texts[own.name])]);
        const { [name]: answer } = await ask(document, { input: Object.fromEntries(given) });
        return readAnswer(answer, result.name);
      },
    };
  }

  function readInput({ name, type: { ofType } }) {
    const choices = ofType.enumValues?.map((value) => value.name);
    return { name, choices, isNumber: NUMBERS.includes(ofType.name), isChoice: ofType.name === 'Boolean' };
  }

  function readText({ isNumber, isChoice }, text) {
    if (isChoice) return text !== undefined;
    return isNumber ? Number(text) : text;
  }

  /** The token so far, and the mutation that must follow; null for none. */
  function readAnswer({ nextMutation, userErrors, ...rest }, result) {
    if (userErrors.length > 0) throw new Error(userErrors.map(({ message }) => message).join('; '));
    const { token, complete } = rest[result];
    if (complete === false && nextMutation === null)
      throw new Error(
        'The API asks for a further step that it does not describe; sign in with another client.',
      );
    return { nextMutation, token };
  }

  window.optiongraph = { ...window.optiongraph, stepsOfSignIn };
})();
