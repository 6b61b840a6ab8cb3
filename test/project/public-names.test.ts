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
    'assembleSchema',
    'combineObservers',
    'createFacade',
    'createLog',
    'createLogObserver',
    'createMetrics',
    'createTraceObserver',
    'parseDescription',
    'parseOverrides',
    'parseTrustedDocuments',
    'readAuthorization',
    'startServer',
  ]);
});
