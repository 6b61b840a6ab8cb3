// Completes names in the editor in the order in which people look for them: the shortest with the typed beginning first.
import { initialize } from 'monaco-editor/esm/vs/editor/editor.worker.js';
import { GraphQLWorker } from 'monaco-graphql/esm/GraphQLWorker.js';

class OrderedWorker extends GraphQLWorker {
  override async doComplete(...args: Parameters<GraphQLWorker['doComplete']>) {
    const items = await super.doComplete(...args);
    return items.map((item) => ({ ...item, sortText: sortTextOf(String(item.label)) }));
  }
}

/** The editor compares these texts where two names match equally well. */
const sortTextOf = (label: string): string => `${String(label.length).padStart(3, '0')}${label}`;

globalThis.onmessage = () => {
  initialize((context, data) => new OrderedWorker(context, data));
};
