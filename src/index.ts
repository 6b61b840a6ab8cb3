// Lists the public names of the package.

export { builtInOverrides } from './facade/built-in-overrides.ts';
export { createFacade, type Facade } from './facade/facade.ts';
export type { FacadeOptions } from './facade/facade-options.ts';
export {
  createOptiongraph,
  type Optiongraph,
  type OptiongraphOptions,
} from './facade/optiongraph.ts';
export { createLog, type Log, type LogLevel } from './log.ts';
export { combineObservers, type Observer } from './observer.ts';
export type { AuditOptions } from './plugins/audit/audit.ts';
export { createLogObserver, type LogObserverOptions } from './plugins/log/log-observer.ts';
export { createMetrics, type Metrics } from './plugins/metrics/metrics.ts';
export {
  createOAuthClient,
  isEnding,
  OAuthFailure,
  type PendingSignIn,
  type Tokens,
} from './plugins/sign-in/oauth-client.ts';
export type { SnippetsOptions } from './plugins/snippets/snippets-client.ts';
export { createTraceObserver } from './plugins/traces/trace-observer.ts';
export type { TrustedDocumentsOptions } from './plugins/trusted-documents/trusted-documents.ts';
export { type AssembledSchema, assembleSchema } from './schema/assemble.ts';
export { createExampleTabs, type ExampleTab } from './schema/example-tabs.ts';
export { type Overrides, parseOverrides } from './schema/model/overrides.ts';
export {
  actionOf,
  internalResourcesOf,
  originOf,
  parameterOf,
  resourceOf,
  rowTypeOf,
} from './schema/origin.ts';
export { printSDL } from './schema/print-schema.ts';
export type {
  AddedFields,
  AddedResolver,
  ApiObject,
  SchemaAdditionOptions,
} from './schema/schema-addition.ts';
export type { AddContext, ApiCall, ApiOutput, CallerApi, ResolverContext } from './server/caller-api.ts';
export type { LimitOptions, Limits } from './server/limits.ts';
export type { OptiongraphErrorCode } from './server/mask-error.ts';
export type { FacadePlugin } from './server/plugin.ts';
export { type ListenOptions, type RunningServer, startServer } from './server/server.ts';
export { parseTrustedDocuments } from './server/trusted-manifest.ts';
export type { Description, Finding } from './upstream/description/description.ts';
export { parseDescription } from './upstream/description/parse-description.ts';
export {
  DescriptionError,
  OptiongraphError,
  UpstreamError,
  UpstreamUnreachableError,
  VersionUnknownError,
} from './upstream/errors.ts';
export { type Credential, readAuthorization } from './upstream/http/caller.ts';
