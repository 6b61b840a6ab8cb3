// Tests that descriptions, enum labels and refusals are in the caller's language.
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { printSDL } from '../../src/schema/print-schema.ts';
import { action, describeApi, type Raw, resource } from '../helpers/describe-api.ts';
import { type DescribedApi, openApi } from '../helpers/described.ts';
import { overSse, overWebSocket } from '../helpers/streams.ts';
import { ok, refuse } from '../helpers/stub-upstream.ts';

/** The texts of the API in a language. */
interface Words {
  readonly title: string;
  readonly genre: string;
  readonly prose: string;
  readonly short: string;
  readonly create: string;
}

const ENGLISH: Words = {
  title: 'What the cover says',
  genre: 'Kind of book',
  prose: 'Prose text',
  short: 'length must be at least 3, is %{value}',
  create: 'Add a book',
};
const CZECH: Words = {
  title: 'Co stojí na obálce',
  genre: 'Druh knihy',
  prose: 'Próza',
  short: 'délka musí být alespoň 3, je %{value}',
  create: 'Přidat knihu',
};

/** @param more Parameters that only this caller has. */
function describeBooks(words: Words, more: Raw = {}): Raw {
  const title = {
    type: 'String',
    label: 'Title',
    description: words.title,
    validators: { length: { min: 3, message: words.short } },
  };
  const genre = {
    type: 'String',
    label: 'Genre',
    description: words.genre,
    validators: { include: { values: { prose: words.prose, poems: 'poems' }, message: 'no' } },
  };
  const output = { id: 'Integer', title, genre, ...more };
  const create = action({
    path: '/books',
    method: 'POST',
    namespace: 'book',
    input: { title, genre },
    output,
  });
  const find = action({ path: '/books/find', namespace: 'book', input: { title }, output });
  return describeApi({
    book: resource({
      create: { ...create, description: words.create },
      find,
      show: action({ path: '/books/{book_id}', namespace: 'book', output }),
    }),
  });
}

/** Whether the first language of a list that the API has is Czech. */
const isCzechFirst = (accepted: string): boolean =>
  accepted
    .split(',')
    .map((item) => item.trim().slice(0, 2))
    .find((tag) => tag === 'cs' || tag === 'en') === 'cs';

/** Opens an API with texts in English and Czech. `asked` has the languages of the descriptions that were fetched. */
async function openBooks(
  options: Partial<FacadeOptions> = {},
): Promise<DescribedApi & { readonly asked: string[] }> {
  const asked: string[] = [];
  const api = await openApi(describeBooks(ENGLISH), { 'book#show': () => ok({ book: { id: 1 } }) }, options);
  api.upstream.onOptions = (headers, { search }) => {
    const accepted = String(headers['accept-language']);
    if (search.startsWith('?method=')) return ok({});
    asked.push(accepted);
    const more = headers['x-library-token'] === 'two' ? { secret: 'String' } : {};
    return ok(describeBooks(isCzechFirst(accepted) ? CZECH : ENGLISH, more));
  };
  return Object.assign(api, { asked });
}

const TEXTS = `{
  book: __type(name: "Book") { fields { name description } }
  genre: __type(name: "BookGenre") { enumValues { name description } }
  mutation: __type(name: "Mutation") { fields { name description } }
}`;

interface Texts {
  readonly book: { readonly fields: readonly { readonly name: string; readonly description: string }[] };
  readonly genre: { readonly enumValues: readonly { readonly description: string }[] };
  readonly mutation: Texts['book'];
}

/** Reads some texts of the schema. */
async function readTexts(api: DescribedApi, language?: string, token = 'one') {
  const headers = language === undefined ? {} : { 'accept-language': language };
  const { data, errors } = await api.ask<Texts>(TEXTS, { headers, token });
  expect(errors).toEqual([]);
  return textsIn(data);
}

function textsIn(data: Texts | null) {
  const fields = new Map(data?.book.fields.map(({ name, description }) => [name, description]));
  return {
    title: fields.get('title'),
    prose: data?.genre.enumValues.map(({ description }) => description).at(-1),
    create: data?.mutation.fields[0]?.description.split('\n')[0],
  };
}

const ENGLISH_TEXTS = { title: ENGLISH.title, prose: ENGLISH.prose, create: ENGLISH.create };
const CZECH_TEXTS = { title: CZECH.title, prose: CZECH.prose, create: CZECH.create };

const withoutDescription = (key: string, value: unknown): unknown =>
  key === 'description' || key === 'deprecationReason' ? null : value;

describe('introspection in the language of the caller', () => {
  it('shows descriptions, labels of enum values and texts of actions', async () => {
    await using api = await openBooks();
    expect(await readTexts(api)).toEqual(ENGLISH_TEXTS);
    expect(await readTexts(api, 'cs-CZ,cs;q=0.9,en;q=0.8')).toEqual(CZECH_TEXTS);
    expect(await readTexts(api, 'en-GB,cs;q=0.9')).toEqual(ENGLISH_TEXTS);
  });

  it('needs one description for each caller and language', async () => {
    await using api = await openBooks();
    api.asked.length = 0;
    expect(await readTexts(api, 'cs')).toEqual(CZECH_TEXTS);
    expect(await readTexts(api, 'cs')).toEqual(CZECH_TEXTS);
    await api.ask('{ book(id: 1) { id title } }', { headers: { 'accept-language': 'cs' } });
    expect(api.asked).toEqual(['cs, en;q=0.1']);
  });

  it('falls back to the operator’s language for one that the API lacks, and asks for it once', async () => {
    await using api = await openBooks();
    await readTexts(api);
    api.asked.length = 0;
    expect(await readTexts(api, 'de')).toEqual(ENGLISH_TEXTS);
    expect(await readTexts(api, 'de, cs;q=0.5')).toEqual(CZECH_TEXTS);
    expect(await readTexts(api, 'de, en;q=0.9, cs;q=0.5')).toEqual(ENGLISH_TEXTS);
    expect(api.asked).toEqual(['de, en;q=0.1', 'de, cs, en;q=0.1']);
  });

  it('keeps the texts of each set of rights apart', async () => {
    await using api = await openBooks();
    const fieldsOf = async (token: string) => {
      const { data } = await api.ask<Texts>(TEXTS, { headers: { 'accept-language': 'cs' }, token });
      return data?.book.fields.map(({ name }) => name) ?? [];
    };
    expect(await readTexts(api, 'cs', 'two')).toEqual(CZECH_TEXTS);
    expect(await fieldsOf('two')).toContain('secret');
    expect(await readTexts(api, 'cs')).toEqual(CZECH_TEXTS);
    expect(await fieldsOf('one')).not.toContain('secret');
  });

  it('shows the operator’s language when the API fails', async () => {
    await using api = await openBooks();
    await readTexts(api);
    api.upstream.onOptions = () => refuse('broken', null, 500);
    expect(await readTexts(api, 'cs')).toEqual(ENGLISH_TEXTS);
  });

  it('fetches a bounded number of descriptions for the languages that one client makes up', async () => {
    await using api = await openBooks();
    await readTexts(api);
    api.asked.length = 0;
    for (let index = 0; index < 20; index += 1) {
      const letters = String.fromCharCode(97 + index);
      expect(await readTexts(api, `x${letters}, y${letters}`)).toEqual(ENGLISH_TEXTS);
    }
    expect(api.asked).toHaveLength(12);
  });

  it('reads the operator’s language from the settings', async () => {
    await using api = await openBooks({ language: 'cs' });
    expect(await readTexts(api)).toEqual(CZECH_TEXTS);
    expect(await readTexts(api, 'en')).toEqual(ENGLISH_TEXTS);
    expect(api.asked.at(-1)).toBe('en, cs;q=0.1');
  });

  it('asks in the header that the API has chosen', async () => {
    await using api = await openBooks({ languageHeader: 'x-language' });
    api.upstream.onOptions = ({ 'x-language': language }, { search }) =>
      search.startsWith('?method=')
        ? ok({})
        : ok(describeBooks(String(language).startsWith('cs') ? CZECH : ENGLISH));
    expect(await readTexts(api, 'cs')).toEqual(CZECH_TEXTS);
    await api.ask('{ book(id: 1) { title } }', { headers: { 'accept-language': 'cs', 'x-language': 'de' } });
    expect(api.upstream.calls[0]?.headers).toMatchObject({ 'x-language': 'cs' });
    expect(api.upstream.calls[0]?.headers['accept-language']).not.toBe('cs');
  });

  it('gives the same schema but for its texts', async () => {
    await using api = await openBooks();
    const shapeIn = async (language: string): Promise<string> => {
      const headers = { 'accept-language': language };
      const { data } = await api.ask<IntrospectionQuery>(getIntrospectionQuery(), { headers });
      if (data === null) throw new Error('no schema');
      return printSDL(buildClientSchema(JSON.parse(JSON.stringify(data), withoutDescription)));
    };
    expect(await shapeIn('cs')).toBe(await shapeIn('en'));
  });
});

describe('each transport', () => {
  it('has the language of the request or the connection', async () => {
    await using api = await openBooks();
    const { url } = await api.listen();
    const token = { 'x-library-token': 'one' };
    const czech = { 'accept-language': 'cs' };
    const byGet = await fetch(`${url}?query=${encodeURIComponent(TEXTS)}`, {
      headers: { ...token, ...czech },
    });
    expect(textsIn(Object(await byGet.json()).data)).toEqual(CZECH_TEXTS);
    await using params = overWebSocket(url, TEXTS, { ...token, 'Accept-Language': 'cs' });
    expect(textsIn((await params.next()) as Texts)).toEqual(CZECH_TEXTS);
    await using upgrade = overWebSocket(url, TEXTS, token, czech);
    expect(textsIn((await upgrade.next()) as Texts)).toEqual(CZECH_TEXTS);
    await using events = overSse(url, TEXTS, { ...token, ...czech });
    expect(textsIn((await events.next()) as Texts)).toEqual(CZECH_TEXTS);
    await using english = overWebSocket(url, TEXTS, token);
    expect(textsIn((await english.next()) as Texts)).toEqual(ENGLISH_TEXTS);
  });
});

describe('a refusal by a described rule', () => {
  it('has the message in the language of the caller, in writes and in reads', async () => {
    await using api = await openBooks();
    const write = 'mutation { bookCreate(input: { title: "x" }) { userErrors { code message } } }';
    const headers = { 'accept-language': 'cs' };
    const written = await api.ask(write, { headers });
    expect(written.data).toEqual({
      bookCreate: { userErrors: [{ code: 'TOO_SHORT', message: 'délka musí být alespoň 3, je x' }] },
    });
    const read = await api.ask('{ bookFind(title: "x") { title } }', { headers });
    expect(read.errors).toMatchObject([
      {
        message: 'Invalid input. title: délka musí být alespoň 3, je x.',
        extensions: { code: 'BAD_USER_INPUT', userErrors: [{ path: ['title'], message: /délka/ }] },
      },
    ]);
    expect((await api.ask(write)).data).toMatchObject({
      bookCreate: { userErrors: [{ message: 'length must be at least 3, is x' }] },
    });
    expect(api.upstream.calls).toEqual([]);
  });
});
