// Declares the module with which a worker of the editor begins, which comes without types.
declare module 'monaco-editor/esm/vs/editor/editor.worker.js' {
  export function initialize(create: (context: never, data: never) => object): void;
}
