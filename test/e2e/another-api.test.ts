// Tests the facade with the reference server of the protocol, which serves another API.
import { describe, expect, test } from 'vitest';
import { ADDRESS, runCli } from '../helpers/cli.ts';
import type { Raw } from '../helpers/describe-api.ts';
import { type Json, sharedJson } from '../helpers/sandbox-requests.ts';
import { type Handler, ok, refuse, startStub } from '../helpers/stub-upstream.ts';

const reference = sharedJson('reference-description-user.json')?.['response']?.['versions']?.['1.0'];
const TOKEN = 'X-HaveAPI-Auth-Token';

const meta = (...path_params: readonly number[]) => ({ path_params, resolved: true });
const projects = [1, 2, 3].map((id) => ({
  id,
  name: `project ${id}`,
  created_at: `2026-01-0${id}T00:00:00Z`,
}));
const tasks = (project: number) =>
  [1, 2].map((id) => ({ id, label: `task ${project}.${id}`, done: id === 1, _meta: meta(project, id) }));
const published = ['alpha', 'beta', 'gamma'].map((name) => ({ name }));

/** A page by from_id in the order of the reference server. */
const page = <Row extends { readonly id: number }>(
  rows: readonly Row[],
  query: URLSearchParams,
  of: string,
) =>
  rows
    .filter(({ id }) => id > Number(query.get(`${of}[from_id]`) ?? 0))
    .slice(0, Number(query.get(`${of}[limit]`) ?? rows.length));

/** The resources of the reference server, with a few rows each. */
const handlers: Readonly<Record<string, Handler>> = {
  'project#index': ({ query }) =>
    ok({
      projects: page(projects, query, 'project').map((row) => ({ ...row, _meta: meta(row.id) })),
      _meta: { total_count: projects.length },
    }),
  'project#show': ({ path: [id] }) => {
    const found = projects.find((project) => String(project.id) === id);
    return found
      ? ok({ project: { ...found, _meta: meta(found.id) } })
      : refuse('project not found', null, 404);
  },
  'project#public_list': ({ query }) =>
    ok({
      projects: published.slice(0, Number(query.get('project[limit]') ?? published.length)),
      _meta: { total_count: published.length },
    }),
  'project#public_show': ({ path: [id] }) =>
    ok({ project: { name: published[Number(id) - 1]?.name ?? null } }),
  'project.task#index': ({ path: [project], query }) =>
    ok({ tasks: page(tasks(Number(project)), query, 'task'), _meta: {} }),
  'project.task#show': ({ path: [project, id] }) =>
    ok({ task: tasks(Number(project))[Number(id) - 1] ?? null }),
  'project.task#run': () => ok({ task: {}, _meta: { action_state_id: 7 } }),
  'action_state#show': ({ path: [id] }) =>
    ok({
      action_state: { id: Number(id), label: 'Run', finished: true, status: true, current: 3, total: 3 },
    }),
  'test#echo_optional_get': ({ query }) => {
    const given = query.get('test[dt]');
    return ok({
      test: { dt_provided: given !== null, dt_nil: given === '', dt: given === '' ? null : given },
    });
  },
};

const QUERY = `{
  projects(first: 2) {
    nodes { id name createdAt tasks(first: 1) { nodes { id label done } pageInfo { hasNextPage } } }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
  projectPublics(first: 2) { nodes { name } pageInfo { hasNextPage } }
  project(id: 2) { publicShow { name } task(id: "2/1") { done } }
  node(id: "project/3/task/2") { id ... on ProjectTask { label } }
  omitted: testEchoOptionalGet { dtProvided dtNil dt }
  given: testEchoOptionalGet(dt: "2020-01-31T00:00:00+01:00") { dtProvided dtNil dt }
  null: testEchoOptionalGet(dt: null) { dtProvided dtNil dt }
}`;

describe.skipIf(reference === undefined)(
  '--upstream at another API, described by the reference server',
  () => {
    test('serves nested lists, a paged read that is no index, reads by id and a blocking action', async () => {
      await using stub = await startStub(reference as Json as Raw, handlers);
      await using cli = runCli(['--port', '0', '--upstream', stub.url.href]);
      const [, url = ''] = await cli.waitForOutput(ADDRESS);
      const ask = async (query: string): Promise<Json> => {
        const headers = { 'content-type': 'application/json', [TOKEN]: 'mine' };
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
        return (await answer.json()) as Json;
      };

      const node = (id: number) => ({
        id: `project/${id}`,
        name: `project ${id}`,
        createdAt: `2026-01-0${id}T00:00:00Z`,
        tasks: {
          nodes: [{ id: `project/${id}/task/1`, label: `task ${id}.1`, done: true }],
          pageInfo: { hasNextPage: true },
        },
      });
      const first = await ask(QUERY);
      expect(first).not.toHaveProperty('errors');
      expect(first['data']).toEqual({
        projects: {
          nodes: [node(1), node(2)],
          pageInfo: { hasNextPage: true, endCursor: expect.any(String) },
          totalCount: 3,
        },
        projectPublics: { nodes: [{ name: 'alpha' }, { name: 'beta' }], pageInfo: { hasNextPage: true } },
        project: { publicShow: { name: 'beta' }, task: { done: true } },
        node: { id: 'project/3/task/2', label: 'task 3.2' },
        omitted: { dtProvided: false, dtNil: false, dt: null },
        given: { dtProvided: true, dtNil: false, dt: '2020-01-31T00:00:00+01:00' },
        null: { dtProvided: true, dtNil: true, dt: null },
      });
      expect(new Set(stub.calls.map(({ headers }) => headers[TOKEN.toLowerCase()]))).toEqual(
        new Set(['mine']),
      );

      const cursor = first['data']?.['projects']?.['pageInfo']?.['endCursor'];
      const rest = await ask(
        `{ projects(first: 2, after: "${cursor}") { nodes { id } pageInfo { hasNextPage } } }`,
      );
      expect(rest['data']).toEqual({
        projects: { nodes: [{ id: 'project/3' }], pageInfo: { hasNextPage: false } },
      });

      const ran = await ask(
        'mutation { projectTaskRun(id: "project/1/task/2") { actionState { id outcome progress } userErrors { code } } }',
      );
      expect(ran['data']).toEqual({
        projectTaskRun: {
          actionState: { id: 'action_state/7', outcome: 'SUCCEEDED', progress: 1 },
          userErrors: [],
        },
      });
      expect(await ask('{ project(id: 9) { name } }')).toMatchObject({
        data: { project: null },
        errors: [{ message: 'project not found', extensions: { code: 'NOT_FOUND' } }],
      });
    });
  },
);
