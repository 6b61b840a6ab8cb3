// Tests the types of what actions answer that is no object of their resource.
import { isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../../src/schema/assemble.ts';
import { findVisibleParts } from '../../../src/schema/rights/visible-parts.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { action, describeApi, type Raw, type RawParameters, resource } from '../../helpers/describe-api.ts';

const SECRET = { secret: 'String', until: 'Datetime' } as const;

const write = (output: RawParameters): Raw => action({ path: '/do', method: 'POST', output });
const parse = (resources: Raw) => parseDescription(describeApi(resources));

/** The result of each mutation. */
function resultsOf(schema: ReturnType<typeof assemble>['schema']): Record<string, string> {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  return Object.fromEntries(
    fields.map(({ name, type }) => [
      name,
      isObjectType(type) ? String(type.getFields()['result']?.type) : '',
    ]),
  );
}

describe('the result of an action', () => {
  it('has a type that ends with Result, one for equal results of a resource', () => {
    const { schema } = assemble(
      parse({
        door: resource(
          {
            unlock: write(SECRET),
            lock: write({ count: 'Integer' }),
            show_result: write({ word: 'String' }),
          },
          { code: resource({ renew: write({ until: 'Datetime', secret: 'String' }), reset: write(SECRET) }) },
        ),
        gate: resource({ unlock: write(SECRET) }),
      }),
    );
    expect(resultsOf(schema)).toEqual({
      doorUnlock: 'DoorResult',
      doorCodeReset: 'DoorResult',
      doorCodeRenew: 'DoorResult',
      doorLock: 'DoorLockResult',
      doorShowResult: 'DoorShowResult',
      gateUnlock: 'GateUnlockResult',
    });
  });

  it('stays for callers who have another action with it, with the outputs that they have', () => {
    const all = parse({ door: resource({ lock: write(SECRET), unlock: write(SECRET) }) });
    const own = parse({ door: resource({ unlock: write({ secret: 'String' }) }) });
    const schema = assemble(all).schemaWith(findVisibleParts(all, own));
    expect(resultsOf(schema)).toEqual({ doorUnlock: 'DoorResult' });
    const type = schema.getType('DoorResult');
    expect(isObjectType(type) && Object.keys(type.getFields())).toEqual(['secret']);
  });
});
