// Starts the page: asks for the session and the examples while the rest of the page is loaded.
import { fetchDocuments } from './fetch-documents.ts';
import { PageSession } from './session/session.ts';

const session = new PageSession();
const examples = session.start().then(() => fetchDocuments(session, 'examples'));
const [{ renderExplorer }] = await Promise.all([import('./explorer.tsx'), import('./editor-workers.ts')]);
renderExplorer(session, (await examples) ?? []);
