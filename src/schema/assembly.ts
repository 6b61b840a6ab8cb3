import type { AnswerSizes } from '../loaders/paging/answer-sizes.ts';
import type { ListOrders } from '../loaders/paging/list-orders.ts';
import type { Builder, QueryRef } from './builder.ts';
import type { FieldSources } from './demand.ts';
import type { EdgeFilters } from './edge-filters.ts';
import type { Enums } from './enums.ts';
import type { IdReader } from './ids.ts';
import type { Inputs } from './inputs.ts';
import type { Model } from './model.ts';
import type { ReservedNames } from './naming.ts';
import type { ObjectTypes } from './objects.ts';
import type { Overrides } from './overrides.ts';
import type { Report } from './report.ts';
import type { TypeNames } from './type-names.ts';

/** What the steps of one assembly share. */
export interface Assembly {
  readonly builder: Builder;
  readonly query: QueryRef;
  readonly model: Model;
  /** Key of metadata in answers. */
  readonly metaNamespace: string;
  readonly overrides: Overrides;
  readonly report: Report;
  readonly reserved: ReservedNames;
  readonly names: TypeNames;
  readonly enums: Enums;
  readonly inputs: Inputs;
  readonly ids: IdReader;
  readonly sources: FieldSources;
  readonly orders: ListOrders;
  /** Hidden limits of the upstream's lists. */
  readonly sizes: AnswerSizes;
  readonly edgeFilters: EdgeFilters;
  readonly types: ObjectTypes;
}
