// Makes the examples of the guide from a schema.
import { type GraphQLObjectType, type GraphQLSchema, Kind, parse } from 'graphql';
import { createExampleTabs, rowTypeOf } from '../../../../src/index.ts';
import type { Catalog, CatalogAction, FieldPlace } from '../catalog/catalog.ts';
import type { Action } from '../catalog/description.ts';
import { createExample } from './field-example.ts';

/** Documents by the names under which the guide asks for them. */
export type GuideExamples = ReadonlyMap<string, string>;

/** Whether an action takes something and answers what it has made of it. */
const isCreate = ({ name, input, output }: Action): boolean =>
  name === 'create' && output.parameters.length > 0 && input.parameters.some(({ required }) => required);

/** Makes an example of each kind that the schema has. All are about one resource, where it has what they need. */
export function createGuideExamples(catalog: Catalog): GuideExamples {
  const { schema, resources, commonFields } = catalog;
  const [first] = createExampleTabs(schema);
  const list = first?.query ?? '';
  const subject = rowsOf(list, schema);
  const actions = resources
    .toSorted((one, other) => Number(other.type === subject) - Number(one.type === subject))
    .flatMap((one) => one.actions);
  const find = (isWanted: (one: CatalogAction) => boolean): FieldPlace | undefined =>
    actions.find(isWanted)?.main;
  const isQuery = ({ main }: CatalogAction): boolean => main.type === schema.getQueryType();
  const places: Readonly<Record<string, FieldPlace | undefined>> = {
    object: find((one) => isQuery(one) && one.action.name === 'show' && one.main.field.args.length === 1),
    page: find((one) => isQuery(one) && rowTypeOf(one.main.field) !== null),
    create: find(({ action, isMutation }) => isMutation && isCreate(action) && !action.blocking),
    action: find(({ action, isMutation }) => isMutation && action.blocking),
    ...Object.fromEntries(commonFields.map((place) => [place.field.name, place])),
  };
  const examples = Object.entries(places).flatMap(([name, place]) => {
    const example = place === undefined ? null : createExample(catalog, place, name === 'page');
    return example === null ? [] : [[name, example.query] as const];
  });
  return new Map([...(subject === null ? [] : [['list', list] as const]), ...examples]);
}

/** The type of the rows that a query lists first; null for none. */
function rowsOf(query: string, schema: GraphQLSchema): GraphQLObjectType | null {
  const [operation] = parse(query).definitions;
  const [first] = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
  const name = first?.kind === Kind.FIELD ? first.name.value : '';
  const field = schema.getQueryType()?.getFields()[name];
  return field === undefined ? null : rowTypeOf(field);
}
