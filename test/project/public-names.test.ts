// Tests the names that the package exports.
import { expect, it } from 'vitest';
import * as publicNames from '../../src/index.ts';

it('exports these names and no others', () => {
  expect(Object.keys(publicNames).sort()).toEqual([
    'DescriptionError',
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
    'createOptiongraph',
    'createTraceObserver',
    'internalResourcesOf',
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
