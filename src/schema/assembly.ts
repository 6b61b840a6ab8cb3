// Creates the parts that the steps of one assembly share.
import type { ListOrder } from '../loaders/paging/list.ts';
import type { Description, Parameter } from '../upstream/description/description.ts';
import { createBuilder } from './builder.ts';
import type { ActionFields } from './descriptions/describe-schema.ts';
import { findHints } from './descriptions/parameter-hints.ts';
import { ConnectionTypes } from './fields/connections.ts';
import { createModel, type Model } from './model/model.ts';
import type { Overrides } from './model/overrides.ts';
import { References } from './model/references.ts';
import type { Report } from './model/report.ts';
import { type NamedEdge, nameEdges } from './names/edge-names.ts';
import type { ReservedNames } from './names/naming.ts';
import { ownFieldsOf } from './names/read-names.ts';
import { namesOfTypes } from './names/type-names.ts';
import { GivenNames, type UniqueNames } from './names/unique-names.ts';
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
  readonly given: GivenNames;
  readonly typeNames: UniqueNames;
  readonly model: Model;
  readonly builder;
  readonly query;
  readonly sources = new FieldSources();
  readonly references: References;
  readonly edges: readonly NamedEdge[];
  readonly ids: IdReader;
  readonly enums: Enums;
  readonly bigIntegers: BigIntegers;
  readonly examples: ExampleTypes;
  /** What the descriptions of parameters should add. */
  readonly hints: ReadonlyMap<Parameter, string>;
  readonly types: ObjectTypes;
  readonly filters: Filters;
  readonly declaredOrders: ReadonlyMap<string, ListOrder>;
  readonly connections: ConnectionTypes;
  readonly outcome: OutcomeFields;
  /** For the descriptions of types. */
  readonly actionFields: ActionFields = new Map();

  /** Creates the model, all names and the types of all resources. */
  constructor(description: Description, overrides: Overrides, reserved: ReservedNames, report: Report) {
    this.overrides = overrides;
    this.reserved = reserved;
    this.report = report;
    this.metaNamespace = description.metaNamespace;
    this.given = new GivenNames(overrides.names, report);
    this.typeNames = namesOfTypes(this, reserved);
    this.model = createModel(description, this);
    const ownFields = ownFieldsOf(this.model, reserved);
    this.references = new References(this.model, overrides, ownFields, report);
    this.edges = nameEdges(this.model, this.references, ownFields);
    const { builder, query } = createBuilder();
    this.builder = builder;
    this.query = query;
    this.ids = new IdReader(this.model);
    this.enums = new Enums(this);
    this.bigIntegers = new BigIntegers(this);
    this.examples = new ExampleTypes(this);
    this.hints = findHints(this.model);
    this.types = new ObjectTypes(this);
    this.filters = new Filters(this);
    this.declaredOrders = new Map(Object.entries(overrides.listOrder ?? {}));
    this.connections = new ConnectionTypes(this);
    this.outcome = new OutcomeFields(builder, query);
    this.types.declareAll();
  }
}
