// Generates typed operations from the texts in this folder.
import type { CodegenConfig } from '@graphql-codegen/cli';

export default {
  // The schema of the sandbox. That of your API is the output of `npx optiongraph schema print`.
  schema: '../../schema.graphql',
  documents: './*.ts',
  generates: {
    './__generated__/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // Operations are sent as they are, so nothing needs to parse them.
        documentMode: 'string',
        useTypeImports: true,
        // `execute` throws at errors, so data has no nulls that stand for errors. Needs the package graphql-sock.
        nullability: { errorHandlingClient: true },
        scalars: { ID: 'string', SafeInt: 'number', DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
} satisfies CodegenConfig;
