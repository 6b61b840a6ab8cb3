// Implements the option `unsentOutputs`: outputs that are described and never sent.
import type { Parameters, ResourceDefinition } from '../engine/definition.ts';

/** The names of the outputs, by the dotted path of the resource. */
export type UnsentOutputs = Readonly<Record<string, readonly string[]>>;

type Definitions = Readonly<Record<string, ResourceDefinition>>;

/** Copies resources so that no action sends the outputs, nor do objects that are included. */
export function withoutOutputs(
  definitions: Definitions,
  unsent: UnsentOutputs,
  parentPath: readonly string[] = [],
): Definitions {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => {
      const path = [...parentPath, name];
      const { resources = {} } = definition;
      const output = markUnsent(definition.output, unsent[path.join('.')] ?? []);
      return [name, { ...definition, output, resources: withoutOutputs(resources, unsent, path) }];
    }),
  );
}

function markUnsent(output: Parameters, names: readonly string[]): Parameters {
  return Object.fromEntries(
    Object.entries(output).map(([name, parameter]) => [
      name,
      names.includes(name) ? { ...parameter, isNeverSent: true } : parameter,
    ]),
  );
}
