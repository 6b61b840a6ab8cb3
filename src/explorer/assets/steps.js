// Signs in through the mutations that the schema describes, each of which names the next one. Plain JavaScript for the page.
(() => {
  const MUTATIONS = `{ __type(name: "Mutation") { fields {
    name args { name type { ofType { name } } } type { name fields { name } }
  } } }`;
  const STEP = `query ($input: String!, $payload: String!) {
    input: __type(name: $input) { inputFields { name type { kind ofType { name enumValues { name } } } } }
    payload: __type(name: $payload) { fields { name type { fields { name } } } }
  }`;
  const NUMBERS = ['Int', 'SafeInt', 'Float'];

  /** Reads the mutations that sign in, by name: those whose payload names the next one. `query` executes a document. */
  async function readSignInSteps(query) {
    const { __type: mutation } = await query(MUTATIONS);
    const steps = (mutation?.fields ?? []).filter(({ type }) =>
      type.fields?.some(({ name }) => name === 'nextMutation'),
    );
    return new Map(await Promise.all(steps.map(async (step) => [step.name, await readStep(query, step)])));
  }

  /** Reads the required inputs of a step, and makes a function that runs it with the texts of a form. */
  async function readStep(query, { name, args, type }) {
    const inputType = args.find((argument) => argument.name === 'input')?.type.ofType?.name;
    const { input, payload } = await query(STEP, { input: inputType, payload: type.name });
    const inputs = input.inputFields.filter((field) => field.type.kind === 'NON_NULL').map(readInput);
    const result = payload.fields.find((field) => field.type.fields?.some((own) => own.name === 'token'));
    const tokenFields = result.type.fields.some((own) => own.name === 'complete')
      ? 'token complete'
      : 'token';
    const selection = `nextMutation userErrors { message } ${result.name} { ${tokenFields} }`;
    const document = `mutation ($input: ${inputType}!) { ${name}(input: $input) { ${selection} } }`;
    return {
      inputs,
      async run(texts) {
        const given = inputs.map((field) => [field.name, readText(field, texts[field.name])]);
        const { [name]: answer } = await query(document, { input: Object.fromEntries(given) });
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

  /** Reads the token, and the mutation that must follow; null for none. */
  function readAnswer({ nextMutation, userErrors, ...rest }, result) {
    if (userErrors.length > 0) throw new Error(userErrors.map(({ message }) => message).join('; '));
    const { token, complete } = rest[result];
    if (complete === false && nextMutation === null)
      throw new Error(
        'The API requires a further step that it does not describe; sign in with another client.',
      );
    return { nextMutation, token };
  }

  window.optiongraph = { ...window.optiongraph, readSignInSteps };
})();
