// Creates the parts that the steps of one assembly share.

import { ListOrders } from '../loaders/paging/cache/list-orders.ts';
import { ResponseSizes } from '../loaders/paging/cache/response-sizes.ts';
import type { Description } from '../upstream/description/description.ts';
import { createBuilder } from './builder.ts';
import { Connections } from './fields/connections.ts';
import { createModel, type Model } from './model/model.ts';
import type { Overrides } from './model/overrides.ts';
import type { Report } from './model/report.ts';
import type { ReservedNames } from './names/naming.ts';
import { TypeNames } from './names/type-names.ts';
import { EdgeFilters } from './resolve/edge-filters.ts';
import { FieldSources } from './resolve/projection.ts';
import { Enums } from './types/enums.ts';
import { Filters } from './types/filters.ts';
import { IdReader } from './types/ids.ts';
import { ObjectTypes } from './types/objects.ts';
import { OutcomeFields } from './types/outcome-fields.ts';

/** The parts that the steps of one assembly share. Each part uses only those above it. */
export class Assembly {
  readonly overrides: Overrides;
  readonly reserved: ReservedNames;
  readonly report: Report;
  /** Key of metadata in responses. */
  readonly metaNamespace: string;
  readonly model: Model;
  readonly builder;
  readonly query;
  readonly sources = new FieldSources();
  readonly names: TypeNames;
  readonly ids: IdReader;
  readonly enums: Enums;
  readonly types: ObjectTypes;
  readonly filters: Filters;
  readonly edgeFilters: EdgeFilters;
  readonly orders: ListOrders;
  /** Undescribed limits on the length of lists. */
  readonly sizes = new ResponseSizes();
  readonly connections: Connections;
  readonly outcome: OutcomeFields;

  constructor(description: Description, overrides: Overrides, reserved: ReservedNames, report: Report) {
    this.overrides = overrides;
    this.reserved = reserved;
    this.report = report;
    this.metaNamespace = description.metaNamespace;
    this.model = createModel(description, overrides, reserved, report);
    const { builder, query } = createBuilder();
    this.builder = builder;
    this.query = query;
    this.names = new TypeNames(this.model, reserved, report);
    this.ids = new IdReader(this.model);
    this.enums = new Enums(this);
    this.types = new ObjectTypes(this);
    this.filters = new Filters(this);
    this.edgeFilters = new EdgeFilters(report);
    this.orders = new ListOrders(new Map(Object.entries(overrides.listOrder ?? {})));
    this.connections = new Connections(this);
    this.outcome = new OutcomeFields(builder, query);
  }
}
