// Generates the types of the operations in this folder, as Apollo recommends it.
import type { CodegenConfig } from '@graphql-codegen/cli';

export default {
  // The schema of the sandbox. That of your API is the output of `npx optiongraph schema print`.
  schema: '../../schema.graphql',
  documents: './*.ts',
  generates: {
    './__generated__/graphql.ts': {
      plugins: ['typescript-operations'],
      config: {
        // Apollo Client adds `__typename` to all objects but the root.
        nonOptionalTypename: true,
        skipTypeNameForRoot: true,
        // Apollo Client throws errors by default, so data has no nulls that stand for errors.
        nullability: { errorHandlingClient: true },
        scalars: { ID: 'string', SafeInt: 'number', DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
} satisfies CodegenConfig;
