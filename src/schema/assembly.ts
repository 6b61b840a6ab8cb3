// Creates the parts that the steps of one assembly share.

import type { DeclaredOrders } from '../loaders/paging/cache/list-orders.ts';
import { ResponseSizes } from '../loaders/paging/cache/response-sizes.ts';
import type { Description } from '../upstream/description/description.ts';
import type { Steps } from '../upstream/steps.ts';
import { createBuilder } from './builder.ts';
import { Connections } from './fields/connections.ts';
import { createModel, type Model } from './model/model.ts';
import type { Overrides } from './model/overrides.ts';
import type { Report } from './model/report.ts';
import type { SessionUser } from './model/session-user.ts';
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
  readonly declaredOrders: DeclaredOrders;
  /** Undescribed limits on the length of lists. */
  readonly sizes = new ResponseSizes();
  readonly connections: Connections;
  readonly outcome: OutcomeFields;

  private constructor(
    { metaNamespace }: Description,
    overrides: Overrides,
    reserved: ReservedNames,
    report: Report,
    model: Model,
    names: TypeNames,
  ) {
    this.overrides = overrides;
    this.reserved = reserved;
    this.report = report;
    this.metaNamespace = metaNamespace;
    this.model = model;
    this.names = names;
    const { builder, query } = createBuilder();
    this.builder = builder;
    this.query = query;
    this.ids = new IdReader(this.model);
    this.enums = new Enums(this);
    this.types = new ObjectTypes(this);
    this.filters = new Filters(this);
    this.edgeFilters = new EdgeFilters(report);
    this.declaredOrders = new Map(Object.entries(overrides.listOrder ?? {}));
    this.connections = new Connections(this);
    this.outcome = new OutcomeFields(builder, query);
  }

  /** Creates the model, all names and the types of all resources. */
  static *create(
    description: Description,
    overrides: Overrides,
    reserved: ReservedNames,
    report: Report,
    user: SessionUser | null,
  ): Steps<Assembly> {
    const model = yield* createModel(description, overrides, reserved, report, user);
    const names = yield* TypeNames.create(model, reserved, report);
    const assembly = new Assembly(description, overrides, reserved, report, model, names);
    yield* assembly.types.declareAll();
    return assembly;
  }
}
