// Reads environment variables, and finds mistyped ones.
import { closestMatch } from 'leven';
import { PREFIX } from './setting.ts';

/** The names of environment variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** First words of our names without the prefix. Other programs have them too. */
const SHARED = /^(UPSTREAM|OAUTH|SNIPPETS)(_|$)/;
/** What Kubernetes and Docker set in each container for a service, such as one named `optiongraph`. */
const SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;
/** Shorter names resemble those of other programs too easily, as `REDIS_URL` does `REDIS_URI`. */
const DISTINCT_LENGTH = 12;

/** The value of a variable; undefined when it is not set, empty, or set for a service whose name makes that of the variable. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name] ?? '';
  return value === '' || SERVICE_ADDRESS.test(value) ? undefined : value;
}

/**
 * Finds the variables that no setting has, but that begin like ours or resemble one of ours.
 * @returns For each, what to say, and whether it has our prefix, so that no other program has it.
 */
export function findMistypedVariables(env: Environment, known: ReadonlySet<string>) {
  const distinct = [...known].filter((name) => name.length >= DISTINCT_LENGTH);
  return Object.keys(env).flatMap((name) => {
    if (known.has(name) || SERVICE.test(name) || readVariable(env, name) === undefined) return [];
    const isOurs = name.startsWith(PREFIX);
    const beginsLikeOurs = isOurs || SHARED.test(name);
    const meant = beginsLikeOurs
      ? suggestVariable(name, known)
      : closestMatch(name, distinct, { maxDistance: 2 });
    if (meant === undefined && !beginsLikeOurs) return [];
    return [{ message: `There is no variable ${name}${suggestion(meant)}`, isOurs }];
  });
}

/** Ends a message with a suggestion, if there is one. */
export const suggestion = (meant: string | undefined): string =>
  meant === undefined ? '.' : `; did you mean ${meant}?`;

function suggestVariable(name: string, known: ReadonlySet<string>): string | undefined {
  const bare = name.replace(PREFIX, '');
  if (known.has(bare)) return bare;
  return closestMatch(name, [...known], { maxDistance: Math.max(4, Math.ceil(name.length / 3)) });
}
