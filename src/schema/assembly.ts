// Creates the parts that the steps of one assembly share.
import type { ListOrder } from '../loaders/paging/list.ts';
import type { Description } from '../upstream/description/description.ts';
import type { Steps } from '../upstream/steps.ts';
import { createBuilder } from './builder.ts';
import { ParameterHints } from './descriptions/parameter-hints.ts';
import type { ActionFields } from './descriptions/type-descriptions.ts';
import { ConnectionTypes } from './fields/connections.ts';
import { createModel, type Model } from './model/model.ts';
import { createPlan, type OperatorPlan } from './model/operator-plan.ts';
import type { Overrides } from './model/overrides.ts';
import type { Report } from './model/report.ts';
import type { SessionUser } from './model/session-user.ts';
import type { ReservedNames } from './names/naming.ts';
import { TypeNames } from './names/type-names.ts';
import { EdgeFilters } from './resolve/edge-filters.ts';
import { FieldSources } from './resolve/projection.ts';
import { BigIntegers } from './types/big-integers.ts';
import { Enums } from './types/enums.ts';
import { ExampleTypes } from './types/example-types.ts';
import { IdReader } from './types/ids.ts';
import { Filters } from './types/inputs.ts';
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
  /** Decides types in the schemas of all callers. */
  readonly operator: OperatorPlan;
  readonly ids: IdReader;
  readonly enums: Enums;
  readonly bigIntegers: BigIntegers;
  readonly examples: ExampleTypes;
  readonly hints: ParameterHints;
  readonly types: ObjectTypes;
  readonly filters: Filters;
  readonly edgeFilters: EdgeFilters;
  readonly declaredOrders: ReadonlyMap<string, ListOrder>;
  readonly connections: ConnectionTypes;
  readonly outcome: OutcomeFields;
  /** For the descriptions of types. */
  readonly actionFields: ActionFields = new Map();

  private constructor(
    description: Description,
    overrides: Overrides,
    reserved: ReservedNames,
    report: Report,
    model: Model,
    names: TypeNames,
    operator: OperatorPlan | null,
  ) {
    this.overrides = overrides;
    this.reserved = reserved;
    this.report = report;
    this.metaNamespace = description.metaNamespace;
    this.model = model;
    this.names = names;
    this.operator = operator ?? createPlan(description, this, model, names);
    const { builder, query } = createBuilder();
    this.builder = builder;
    this.query = query;
    this.ids = new IdReader(this.model);
    this.enums = new Enums(this);
    this.bigIntegers = new BigIntegers(this);
    this.examples = new ExampleTypes(this);
    this.hints = new ParameterHints(model);
    this.types = new ObjectTypes(this);
    this.filters = new Filters(this);
    this.edgeFilters = new EdgeFilters(report);
    this.declaredOrders = new Map(Object.entries(overrides.listOrder ?? {}));
    this.connections = new ConnectionTypes(this);
    this.outcome = new OutcomeFields(builder, query);
  }

  /**
   * Creates the model, all names and the types of all resources.
   * @param operator Decides types and names. Null: this is the operator's description.
   * @param user The user of sessions, if the description may lack it.
   */
  static *create(
    description: Description,
    overrides: Overrides,
    reserved: ReservedNames,
    report: Report,
    operator: OperatorPlan | null,
    user: SessionUser | null,
  ): Steps<Assembly> {
    const model = yield* createModel(description, overrides, reserved, report, operator, user);
    const names = yield* TypeNames.create(model, reserved, report, operator);
    const assembly = new Assembly(description, overrides, reserved, report, model, names, operator);
    yield* assembly.types.declareAll();
    return assembly;
  }
}
