// Finds the lists that a caller can read, the outer ones first.
import type { PathIds } from '../../../../loaders/identity.ts';
import { returnsRows } from '../../../../schema/model/list-paging.ts';
import { createModel, type Model, type ResourceModel } from '../../../../schema/model/model.ts';
import type { Overrides } from '../../../../schema/model/overrides.ts';
import { Report } from '../../../../schema/model/report.ts';
import { reserveNames } from '../../../../schema/names/naming.ts';
import type { Action, Description } from '../../../../upstream/description/description.ts';
import { runAtOnce } from '../../../../upstream/steps.ts';

/** A described list. */
export interface DescribedList {
  readonly action: Action;
  readonly resource: ResourceModel;
}

/** The lists of a description. Those whose objects have the ids for the paths of others come before these. */
export function findLists(description: Description, overrides: Overrides): readonly DescribedList[] {
  const model: Model = runAtOnce(createModel(description, overrides, reserveNames([]), new Report(), null));
  const lists = [...model.values()].flatMap((resource) =>
    resource.reads
      .filter((action) => action.method === 'GET' && returnsRows(action))
      .map((action) => ({ action, resource })),
  );
  return lists.sort((a, b) => depthOf(a) - depthOf(b));
}

const depthOf = ({ action }: DescribedList): number => action.path.placeholders.length;

/** The names of the inputs without which a list cannot be read. */
export const requiredInputs = ({ input }: Action): readonly string[] =>
  input.parameters.filter(({ required }) => required).map(({ name }) => name);

/** Ids of objects, which the paths of lists need. */
export class KnownObjects {
  /** By dotted path of the resource. */
  readonly #ids = new Map<string, readonly PathIds[]>();

  /** Records objects that a list has answered. */
  add({ path }: ResourceModel, ids: readonly PathIds[]): void {
    const key = path.join('.');
    if (ids.length > 0 && !this.#ids.has(key)) this.#ids.set(key, ids);
  }

  /** The ids for the path of a list, one for each object that has the list; empty where no such object is known. */
  pathsFor({ action, resource }: DescribedList): readonly PathIds[] {
    const { placeholders } = action.path;
    if (placeholders.length === 0) return [new Map()];
    for (let owner: ResourceModel | null = resource; owner !== null; owner = owner.parent) {
      const known = this.#ids.get(owner.path.join('.')) ?? [];
      const fitting = known.filter((ids) => placeholders.every((name) => ids.has(name)));
      if (fitting.length > 0) return fitting;
    }
    return [];
  }
}
