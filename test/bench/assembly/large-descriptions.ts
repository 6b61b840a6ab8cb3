// Makes the large descriptions of the benches, from the recorded one of a production API where that is at hand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describeApi, manyResources, type Raw } from '../../helpers/describe-api.ts';
import { TOKEN_HEADER } from '../stub/description.ts';

const RECORDED = fileURLToPath(
  new URL('../../../../shared/data/production-description.json.gz', import.meta.url),
);

/** The actions of an administrator of a production API. */
const ADMINISTRATOR_ACTIONS = 430;

/** A file with an envelope around a description. */
export interface DescriptionFile {
  readonly name: string;
  readonly path: string;
  readonly actions: number;
}

/** Writes the descriptions of a user and of an administrator of a production API into a folder. */
export function writeLargeDescriptions(
  folder: string,
): readonly [user: DescriptionFile, administrator: DescriptionFile] {
  const isRecorded = existsSync(RECORDED);
  const user = isRecorded ? readRecorded() : describeApi(manyResources(52));
  const source = isRecorded ? 'recorded' : 'generated';
  return [
    save(folder, `${source}, user`, user),
    save(folder, `${source}, administrator`, enlarge(user, ADMINISTRATOR_ACTIONS)),
  ];
}

/** The recorded description, with the header of the benches for tokens. */
function readRecorded(): Raw {
  const { response } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString('utf8'));
  const description = response.versions?.default ?? response;
  const { token } = description.authentication;
  return {
    ...description,
    authentication: { token: { ...token, http_header: TOKEN_HEADER, resources: {} } },
  };
}

/** Adds copies of resources until a description has a number of actions. */
function enlarge(description: Raw, wanted: number): Raw {
  const resources: Record<string, unknown> = { ...(description['resources'] as Raw) };
  let count = countActions(resources);
  for (const [name, resource] of Object.entries(resources)) {
    if (count >= wanted) break;
    resources[`${name}_copy`] = resource;
    count += countActions({ resource });
  }
  return { ...description, resources };
}

function countActions(resources: Raw): number {
  return Object.values(resources).reduce<number>((sum, resource) => {
    const { actions, resources: nested } = resource as Raw;
    return sum + Object.keys(actions as Raw).length + countActions(nested as Raw);
  }, 0);
}

function save(folder: string, name: string, response: Raw): DescriptionFile {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ status: true, response, message: null, errors: null }));
  return { name, path, actions: countActions(response['resources'] as Raw) };
}
