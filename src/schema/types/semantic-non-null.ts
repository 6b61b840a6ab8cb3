// Marks fields that are null only with an error, by the directive `@semanticNonNull`.
import { UpstreamProtocolError } from '../../upstream/errors.ts';

/** Adds to the Pothos options of a field that it is null only with an error. Printed schemas show the directive. */
export const nullOnlyWithError = <T extends { readonly extensions: object }>(options: T) => ({
  ...options,
  extensions: { ...options.extensions, directives: { semanticNonNull: {} } },
});

/** @throws UpstreamProtocolError when a value is null. */
export function refuseNull<T>(value: T, coordinate: string): T {
  if (value !== null && value !== undefined) return value;
  throw new UpstreamProtocolError(
    `The management API returned no value for ${coordinate} that the schema can show, although it is described as required. If that is usual, set "nonNull": { "${coordinate}": false } in the overrides.`,
  );
}
