// Finds mistyped environment variables.
import { closestMatch } from 'leven';

/** The names of environment variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** First words that no other program's variables are expected to have. */
const OURS = /^(OPTIONGRAPH|UPSTREAM|OAUTH|SNIPPETS)(_|$)/;
/** What Kubernetes and Docker set in each container for a service, such as one named `optiongraph`. */
const SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;
/** Shorter names resemble those of other programs too easily, as `API_VERSION` does `APP_VERSION`. */
const DISTINCT_LENGTH = 12;

/** Returns a message for each variable that is not ours, but begins like ours or resembles one of ours. */
export function findMistypedVariables(env: Environment, known: ReadonlySet<string>): readonly string[] {
  const distinct = [...known].filter((name) => name.length >= DISTINCT_LENGTH);
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (value === '' || known.has(name) || SERVICE.test(name) || SERVICE_ADDRESS.test(value)) return [];
    const isOurs = OURS.test(name);
    const meant = isOurs ? suggestVariable(name, known) : closestMatch(name, distinct, { maxDistance: 2 });
    if (meant === undefined && !isOurs) return [];
    return [`There is no variable ${name}${suggestion(meant)}`];
  });
}

/** Ends a message with a suggestion, if there is one. */
export const suggestion = (meant: string | undefined): string =>
  meant === undefined ? '.' : `; did you mean ${meant}?`;

function suggestVariable(name: string, known: ReadonlySet<string>): string | undefined {
  const bare = name.replace(/^OPTIONGRAPH_/, '');
  if (known.has(bare)) return bare;
  return closestMatch(name, [...known], { maxDistance: Math.max(4, Math.ceil(name.length / 3)) });
}
