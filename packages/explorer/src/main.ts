// Starts the page: asks for the session and the examples while the rest of the page is loaded.
import { PageSession } from './session/session.ts';
import { fetchExamples } from './tabs.ts';

const session = new PageSession();
const examples = session.start().then(() => fetchExamples(session));
const [{ renderExplorer }] = await Promise.all([import('./explorer.tsx'), import('./editor-workers.ts')]);
renderExplorer(session, (await examples) ?? []);
