export { type AssembledSchema, assembleSchema } from './schema/assemble.ts';
export { type Overrides, parseOverrides } from './schema/overrides.ts';
export { createFacade, type Facade, type FacadeOptions, type SnippetsOptions } from './server/facade.ts';
export { createLog, type Log } from './server/log.ts';
export { type ListenOptions, type RunningServer, startServer } from './server/server.ts';
export { type Credential, readAuthorization } from './upstream/authentication.ts';
export type { Description } from './upstream/description.ts';
export {
  DescriptionError,
  UpstreamError,
  type UpstreamErrorCode,
  UpstreamUnreachableError,
  VersionUnknownError,
} from './upstream/errors.ts';
export { parseDescription } from './upstream/parse-description.ts';
export type { Finding } from './upstream/reader.ts';
