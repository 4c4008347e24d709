import { register } from 'node:module';

register('../../log/typescript-hooks.mjs', import.meta.url);
