// Tests which types and fields the schema of anonymous callers has.
import { describe, expect, it } from 'vitest';
import { action, list, type Raw, refersTo, resource } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { ask, startPair } from '../helpers/facade.ts';

const TYPES = '{ __schema { types { name fields { name } } } }';
type Types = { __schema: { types: { name: string; fields: { name: string }[] | null }[] } };

/** Names of the fields of each type that has some, but introspection's own. */
function fieldsByType({ __schema }: Types): Readonly<Record<string, readonly string[]>> {
  const types = __schema.types.filter(({ name }) => !name.startsWith('__'));
  return Object.fromEntries(
    types.map(({ name, fields }) => [name, (fields ?? []).map((field) => field.name)]),
  );
}

/** Returns the fields of each type that an anonymous caller and the caller `reader` see. */
async function visibleFields(resources: Raw) {
  await using at = await openDescribed(resources);
  const anonymous = await ask<Types>(at.facade, TYPES);
  const reader = await at.ask(TYPES);
  if (anonymous.data === null) throw new Error(`expected types, got ${JSON.stringify(anonymous.errors)}`);
  return { anonymous: fieldsByType(anonymous.data), reader: fieldsByType(reader.data as unknown as Types) };
}

const open = { auth: false } as const;
const TEAM = { id: 'Integer', name: 'String', secret: 'String' } as const;

/** Closed to anonymous callers. */
const team = resource({
  index: list('team', 'teams', TEAM),
  show: action({ path: '/teams/{team_id}', namespace: 'team', output: TEAM }),
});

describe('the anonymous schema', () => {
  it('has no type that only a closed action returns, or that only an input refers to', async () => {
    const { anonymous, reader } = await visibleFields({
      team,
      notice: resource({
        index: list(
          'notice',
          'notices',
          { id: 'Integer', text: 'String' },
          { ...open, input: { team: refersTo(['team']) } },
        ),
      }),
    });
    expect(Object.keys(reader)).toEqual(expect.arrayContaining(['Team', 'TeamConnection', 'Notice']));
    expect(Object.keys(anonymous)).toContain('NoticeConnection');
    expect(Object.keys(anonymous).filter((name) => name.startsWith('Team'))).toEqual([]);
  });

  it('has only the id and the label of a resource that the caller cannot fetch', async () => {
    const { anonymous } = await visibleFields({
      team,
      notice: resource({ index: list('notice', 'notices', { team: refersTo(['team']) }, open) }),
    });
    expect(anonymous['Team']).toEqual(['id', 'databaseId', 'label']);
  });

  it('has no field of a closed show if the list is open', async () => {
    const output = { id: 'Integer', text: 'String' } as const;
    const { anonymous, reader } = await visibleFields({
      notice: resource({
        index: list('notice', 'notices', output, open),
        show: action({
          path: '/notices/{notice_id}',
          namespace: 'notice',
          output: { ...output, author: 'String' },
        }),
      }),
    });
    expect(reader['Notice']).toContain('author');
    expect(anonymous['Notice']).toEqual(['id', 'databaseId', 'text']);
  });

  it('has node and nodes only if it has an object to fetch', async () => {
    const fetched = resource({ show: action({ path: '/notices/{notice_id}', output: TEAM, ...open }) });
    const { anonymous: without, reader } = await visibleFields({ team });
    expect(reader['Query']).toEqual(expect.arrayContaining(['node', 'nodes']));
    expect(without['Query']).toEqual(['session']);
    expect(Object.keys(without)).not.toContain('Node');
    const { anonymous: beside } = await visibleFields({ team, notice: fetched });
    expect(beside['Query']).toEqual(['node', 'nodes', 'notice', 'session']);
  });

  it.each([
    ['nothing', [] as string[], undefined],
    ['their list', ['index'], ['pendingActions']],
    ['one', ['show'], ['actionProgress', 'actionProgressMany']],
    ['both', ['index', 'show'], ['actionProgress', 'actionProgressMany', 'pendingActions']],
  ])('streams what an anonymous caller may see of running actions: %s', async (_name, opened, streams) => {
    const output = { id: 'Integer', label: 'String', finished: 'Boolean', status: 'Boolean' } as const;
    const auth = (name: string) => ({ auth: !opened.includes(name) });
    const { anonymous } = await visibleFields({
      team,
      action_state: resource({
        index: list('action_state', 'action_states', output, auth('index')),
        show: action({ path: '/action_states/{action_state_id}', output, ...auth('show') }),
      }),
      notice: resource({
        create: action({ path: '/notices', method: 'POST', blocking: true, ...open }),
      }),
    });
    expect(anonymous['Mutation']).toEqual(['noticeCreate']);
    expect(anonymous['Subscription']).toEqual(streams);
  });

  it('of the sandbox has the open resources, the user of sessions, and no references to others', async () => {
    await using pair = await startPair();
    const { data } = await pair.ask<Types>(TYPES, { login: null });
    const types = data === null ? {} : fieldsByType(data);
    expect(Object.keys(types)).toEqual(
      expect.arrayContaining(['ClusterPublicStats', 'Component', 'TokenRequestPayload']),
    );
    expect(types['User']).toEqual(expect.arrayContaining(['databaseId', 'id', 'label', 'login']));
    for (const closed of ['Dataset', 'DnsRecord', 'JSON']) expect(types).not.toHaveProperty(closed);
  });
});
