// Tests the names that the package exports.
import { expect, it } from 'vitest';
import * as publicNames from '../../src/index.ts';

it('exports these names and no others', () => {
  expect(Object.keys(publicNames).sort()).toEqual([
    'DescriptionError',
    'OAuthFailure',
    'OptiongraphError',
    'UpstreamError',
    'UpstreamUnreachableError',
    'VersionUnknownError',
    'actionOf',
    'assembleSchema',
    'builtInOverrides',
    'combineObservers',
    'createExampleTabs',
    'createFacade',
    'createLog',
    'createLogObserver',
    'createMetrics',
    'createOAuthClient',
    'createOptiongraph',
    'createTraceObserver',
    'internalResourcesOf',
    'isEnding',
    'originOf',
    'parameterOf',
    'parseDescription',
    'parseOverrides',
    'parseTrustedDocuments',
    'printSDL',
    'readAuthorization',
    'resourceOf',
    'rowTypeOf',
    'startServer',
  ]);
});
