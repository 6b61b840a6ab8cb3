// Declares the parts that the steps of one assembly share.

import type { AnswerSizes } from '../loaders/paging/kept/answer-sizes.ts';
import type { ListOrders } from '../loaders/paging/kept/list-orders.ts';
import type { Builder, QueryRef } from './builder.ts';
import type { EdgeFilters } from './fields/edge-filters.ts';
import type { Model } from './model/model.ts';
import type { Overrides } from './model/overrides.ts';
import type { Report } from './model/report.ts';
import type { ReservedNames } from './names/naming.ts';
import type { TypeNames } from './names/type-names.ts';
import type { FieldSources } from './resolve/projection.ts';
import type { Enums } from './types/enums.ts';
import type { IdReader } from './types/ids.ts';
import type { Inputs } from './types/inputs.ts';
import type { ObjectTypes } from './types/objects.ts';

/** The parts that the steps of one assembly share. */
export interface Assembly {
  readonly builder: Builder;
  readonly query: QueryRef;
  readonly model: Model;
  /** Key of metadata in responses. */
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
  /** Undescribed limits on the length of lists. */
  readonly sizes: AnswerSizes;
  readonly edgeFilters: EdgeFilters;
  readonly types: ObjectTypes;
}
