// Starts the page: asks for the session and the examples while the rest of the page is loaded.
import { fetchExamples } from './fetch-examples.ts';
import { session } from './session/session.ts';

const examples = session.start().then(() => fetchExamples());
const [{ renderExplorer }] = await Promise.all([import('./explorer.tsx'), import('./editor-workers.ts')]);
renderExplorer((await examples) ?? []);
