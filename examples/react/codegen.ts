// Generates typed documents from the operations in `src`.
import type { CodegenConfig } from '@graphql-codegen/cli';

export default {
  // The schema of the sandbox. That of your API is the output of `npx optiongraph schema print`.
  schema: '../../schema.graphql',
  documents: './src/*.ts*',
  generates: {
    './src/__generated__/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        // The components show an error before they read data, so data has no nulls that stand for errors.
        nullability: { errorHandlingClient: true },
        scalars: { ID: 'string', SafeInt: 'number', DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
} satisfies CodegenConfig;
