import type { Plugin } from 'esbuild'

/** Bundles only the English messages of zod, whose fifty languages would be half of the file. */
export const oneLanguage: Plugin = {
  name: 'one-language',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}
