// Tests who is told that a missing field needs other rights, over each transport.
import { describe, expect, it } from 'vitest';
import { sharePair } from '../helpers/shared-pair.ts';
import { TRANSPORTS } from '../helpers/transports.ts';

const MIGRATE = 'mutation { datasetMigrate { userErrors { code } } }';
const DATASETS = '{ datasets { nodes { id } } }';
const PACKAGE = '{ node(id: "cluster_resource_package/1") { ... on ClusterResourcePackage { id } } }';
const NOTHING = '{ nothings { nodes { id } } }';

describe('a schema that lacks a field', () => {
  const pair = sharePair();

  describe.each(TRANSPORTS)('over %s', (_name, send) => {
    const messages = async (query: string, headers = {}): Promise<readonly string[]> =>
      ((await send(pair.url, { query }, headers)).errors ?? []).map(({ message }) => message);

    it('a caller with a credential is told that a field of others needs other rights', async () => {
      expect(await messages(MIGRATE, pair.headers('user'))).toContain(
        'Cannot query field "datasetMigrate" on type "Mutation". It needs other rights than yours.',
      );
      expect(await messages(PACKAGE, pair.headers('user'))).toEqual([
        'Unknown type "ClusterResourcePackage". It needs other rights than yours.',
      ]);
      expect(await messages(NOTHING, pair.headers('user'))).toEqual([
        'Cannot query field "nothings" on type "Query".',
      ]);
    });

    it('an anonymous caller is not told that the field exists', async () => {
      expect(await messages(DATASETS)).toEqual(['Cannot query field "datasets" on type "Query".']);
      expect(await messages(NOTHING)).toEqual(['Cannot query field "nothings" on type "Query".']);
    });
  });
});
