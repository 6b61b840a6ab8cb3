// Tests the calls of callers whose credentials end and come back, against a small model of what callers are promised.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCredential } from '../../src/upstream/http/caller.ts';
import { action, describeApi, resource } from '../helpers/describe-api.ts';
import { openApi } from '../helpers/described.ts';
import { ok, refuse, type StubCall } from '../helpers/stub-upstream.ts';

const SEED = Number(process.env['SEED'] ?? 28);
const RUNS = Number(process.env['RUNS'] ?? 15);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;
/** Time for which a verified credential is trusted, in minutes. */
const TRUSTED = 5;

const one = (path: string, auth: boolean) =>
  resource({ show: { ...action({ path: `/${path}`, namespace: path, output: { id: 'Integer' } }), auth } });
/** `shelf` needs a credential. `notice` needs none, and neither does `offer`, which the API refuses to everybody. */
const OPEN = { notice: one('notice', false), offer: one('offer', false) };
const ALL = { shelf: one('shelf', true), ...OPEN };
type Field = keyof typeof ALL;

type Token = 'ann' | 'ben' | 'never known';

/** What an operation shows its client. */
type Outcome = 'data' | 'refused' | 'UNAUTHENTICATED';

/** What the upstream has received: the verifications, and the actions, each with its token. */
interface Traffic {
  readonly probes: readonly string[];
  readonly calls: readonly string[];
}

/** The API with the tokens that it knows, and the facade over it. */
async function openWorld() {
  const known = new Set<Token>(['ann', 'ben']);
  const isKnown = (token: unknown): boolean => token === 'operator' || known.has(token as Token);
  const tokenOf = ({ headers }: Pick<StubCall, 'headers'>) => headers['x-library-token'];
  const probes: string[] = [];
  const api = await openApi(
    describeApi(ALL),
    {
      'shelf#show': (call) => (isKnown(tokenOf(call)) ? ok({ shelf: { id: 1 } }) : refuse('who?', null, 401)),
      // An ended credential is as good as none.
      'notice#show': () => ok({ notice: { id: 2 } }),
      'offer#show': () => refuse('sold out', null, 409),
    },
    { descriptionCredential: createCredential('token', 'x-library-token', 'operator') },
  );
  api.upstream.onOptions = ({ 'x-library-token': token }, { search }) => {
    const isProbe = search.startsWith('?method=');
    if (isProbe) probes.push(String(token));
    if (isProbe && !isKnown(token)) return refuse('who?', null, 401);
    return ok(describeApi(isKnown(token) ? ALL : OPEN));
  };
  return {
    known,
    async ask(token: Token | null, field: Field): Promise<Outcome> {
      const { errors } = await api.ask(`{ ${field} { id } }`, { token });
      const code = errors[0]?.extensions['code'];
      return errors.length === 0 ? 'data' : code === 'UNAUTHENTICATED' ? code : 'refused';
    },
    takeTraffic(): Traffic {
      const calls = api.upstream.calls.splice(0).map((call) => `${call.scope} ${tokenOf(call) ?? '-'}`);
      return { probes: probes.splice(0), calls };
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

/** What is promised, in minutes of the test's clock. */
class Model {
  readonly known = new Set<Token>(['ann', 'ben']);
  minute = 0;
  readonly #verifiedAt = new Map<Token, number>();

  ask(token: Token | null, field: Field): { readonly outcome: Outcome } & Traffic {
    const probes: string[] = [];
    const calls: string[] = [];
    const verify = (who: Token): boolean => {
      probes.push(who);
      if (this.known.has(who)) this.#verifiedAt.set(who, this.minute);
      else this.#verifiedAt.delete(who);
      return this.known.has(who);
    };
    const end = (outcome: Outcome) => ({ outcome, probes, calls });
    const trustedUntil = token === null ? null : (this.#verifiedAt.get(token) ?? -TRUSTED - 1) + TRUSTED;
    if (token !== null && (trustedUntil ?? 0) < this.minute && !verify(token)) return end('UNAUTHENTICATED');
    calls.push(`${field}#show ${token ?? '-'}`);
    if (field === 'notice') return end('data');
    // Whether a refusal means that the credential has ended, only a verification shows.
    if (field === 'offer') return end(token === null || verify(token) ? 'refused' : 'UNAUTHENTICATED');
    if (token !== null && this.known.has(token)) return end('data');
    if (token !== null) this.#verifiedAt.delete(token);
    return end('UNAUTHENTICATED');
  }
}

const token = fc.constantFrom<Token>('ann', 'ann', 'ben', 'ben', 'never known');
const field = fc.constantFrom<Field>('shelf', 'notice', 'offer');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ask: token, field, times: fc.constantFrom(1, 1, 3) }) },
  { weight: 1, arbitrary: fc.record({ anonymous: fc.constantFrom<Field>('notice', 'offer') }) },
  { weight: 2, arbitrary: fc.record({ end: token }) },
  { weight: 1, arbitrary: fc.record({ restore: fc.constantFrom<Token>('ann', 'ben') }) },
  { weight: 3, arbitrary: fc.record({ wait: fc.constantFrom(2, TRUSTED, TRUSTED + 1) }) },
);

it('verifies each credential once in five minutes, and answers nobody whose credential it knows to have ended', async () => {
  const histories = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
    await using world = await openWorld();
    const model = new Model();
    for (const one of steps) {
      if ('end' in one) for (const side of [world, model]) side.known.delete(one.end);
      else if ('restore' in one) for (const side of [world, model]) side.known.add(one.restore);
      else if ('wait' in one) {
        model.minute += one.wait;
        vi.setSystemTime(Date.now() + one.wait * MINUTE);
      } else if ('anonymous' in one) {
        const outcome = await world.ask(null, one.anonymous);
        expect({ outcome, ...world.takeTraffic() }).toEqual(model.ask(null, one.anonymous));
      } else {
        const { times } = one;
        const outcomes = await Promise.all(
          Array.from({ length: times }, () => world.ask(one.ask, one.field)),
        );
        const { probes, calls } = world.takeTraffic();
        const { outcome, ...promised } = model.ask(one.ask, one.field);
        expect(outcomes).toEqual(outcomes.map(() => outcome));
        // Operations at the same time share a verification, and may share a call.
        expect(new Set(calls)).toEqual(new Set(promised.calls));
        expect(calls.length).toBeLessThanOrEqual(times);
        if (times === 1 || one.field !== 'offer') expect(probes).toEqual(promised.probes);
        else expect(new Set(probes)).toEqual(new Set(promised.probes));
      }
    }
  });
  await fc.assert(histories, { seed: SEED, numRuns: RUNS });
});
