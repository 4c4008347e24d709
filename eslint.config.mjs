import tseslint from 'typescript-eslint';

import { importRules } from './eslint.imports.mjs';

export default tseslint.config(
  // The kernel is AssemblyScript. Its own compiler checks the types.
  { ignores: ['dist/', 'node_modules/', 'data/', 'coverage/', '.cache/', '**/assembly/'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.mjs', 'scripts/*.mjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Nest's modules are empty classes that carry a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Numbers in messages are rows, bytes and ports, which convert to text as intended.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // The row path checks the bounds before it indexes typed arrays.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-for-of': 'off',
    },
  },
  { files: ['src/**/*.ts'], rules: { 'max-lines': ['error', 250] } },
  ...importRules,
  { files: ['**/*.mjs'], ...tseslint.configs.disableTypeChecked },
);
