// Serves the documents of the explorer's first tabs.

import { createExampleTabs } from '../../schema/examples/example-tabs.ts';
import type { Page, Services } from '../../server/plugin.ts';

/** Serves `GET <endpoint>/examples`: example documents that are valid in the caller's schema. */
export function createExamples({ endpoint, openSession }: Pick<Services, 'endpoint' | 'openSession'>): Page {
  return async ({ request, url, requester }) => {
    if (request.method !== 'GET' || url.pathname !== `${endpoint}/examples`) return null;
    const { header, address, requestId, leaving, signal } = requester;
    // Without the cookie of the response, so that the session of a browser is not renewed for documents.
    const { served } = await openSession({ header, address, requestId, leaving, signal });
    return Response.json(createExampleTabs(served.schema));
  };
}
