// Generates typed documents from the operations in this folder.
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
        useTypeImports: true,
        // The program stops at errors, so data has no nulls that stand for errors.
        nullability: { errorHandlingClient: true },
        scalars: { ID: 'string', SafeInt: 'number', DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
} satisfies CodegenConfig;
