// Reads environment variables, and finds mistyped ones.
import { closestMatch } from 'leven';
import { PREFIX, type Setting } from './setting.ts';

/** The names of environment variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What Kubernetes and Docker set in each container for a service, such as one named `optiongraph`. */
const SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/** The value of a variable; undefined when it is not set, empty, or set for a service whose name makes that of the variable. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name] ?? '';
  return value === '' || SERVICE_ADDRESS.test(value) ? undefined : value;
}

/** The variables that settings have, with those that name the files of secrets. */
export function variablesOf(settings: readonly Setting[]): readonly string[] {
  return settings.flatMap(({ variables, isSecret }) =>
    isSecret ? variables.flatMap((name) => [name, `${name}_FILE`]) : variables,
  );
}

/** Returns a message for each variable that has our prefix, so that no other program has it, and that no setting has. */
export function findMistypedVariables(env: Environment, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !SERVICE.test(name))
    .filter((name) => readVariable(env, name) !== undefined)
    .map((name) => {
      const meant = closestMatch(name, [...known], { maxDistance: Math.ceil(name.length / 3) });
      return `There is no variable ${name}${suggestion(meant)}`;
    });
}

/** Ends a message with a suggestion, if there is one. */
export const suggestion = (meant: string | undefined): string =>
  meant === undefined ? '.' : `; did you mean ${meant}?`;
