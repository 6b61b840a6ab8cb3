// Starts the workers of the editor, whose scripts this server serves.
import type { Environment } from 'monaco-editor';
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from './graphql-worker.ts?worker';

const environment: Environment = {
  getWorker(_id, label) {
    if (label === 'json') return new JsonWorker();
    return label === 'graphql' ? new GraphQLWorker() : new EditorWorker();
  },
};

Object.assign(globalThis, { MonacoEnvironment: environment });
